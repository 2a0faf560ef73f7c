// Builds the addon and the TypeScript: npm run build
//
// Run `npm ci` first. Takes a minute and a quarter, and seconds if only the TypeScript changed. Writes npm/, dist/ and target/.
import { commandLine } from './command-line.mjs'
import { build } from './compile.mjs'
import { needRust } from './tools.mjs'

commandLine(import.meta.url)
needRust()
build()
