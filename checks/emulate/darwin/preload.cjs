// Preloaded into a Node for Linux: it calls itself a Mac, and its require() hands addons to loader.c rather than to dlopen.
const { load } = require(process.env.MACHO_LOADER)

Object.defineProperty(process, 'platform', { value: 'darwin' })
require.extensions['.node'] = (module, path) => {
  module.exports = load(path, module.exports)
}
