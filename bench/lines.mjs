// The programs of Node's other lines, which npm installs into the user's cache.
import { tmpdir } from 'node:os'
import { obtain, RUNTIMES } from '../checks/tools/runtimes.mjs'

export const majorOf = version => version.split('.')[0]

/** Those that npm has for this platform and that can be reached, to measure `what` on them. */
export async function otherLines(what) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return []
  const found = []
  for (const runtime of Object.values(RUNTIMES)) {
    const { title, version } = runtime
    if (title !== 'Node' || majorOf(version) === majorOf(process.versions.node)) continue
    try {
      found.push({ node: version, program: await obtain(runtime, tmpdir()) })
    } catch (error) {
      console.log(`${what} are not measured on Node ${version}: ${error.message}`)
    }
  }
  return found
}
