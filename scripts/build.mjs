// `npm run build`: the addon and the TypeScript. Needs what `npm ci` installs.
import { build } from './compile.mjs'
import { needRust } from './tools.mjs'

needRust()
build()
