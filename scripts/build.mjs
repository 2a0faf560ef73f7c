// `npm run build`: builds the addon and the TypeScript. Run `npm ci` first.
import { build } from './compile.mjs'
import { needRust } from './tools.mjs'

needRust()
build()
