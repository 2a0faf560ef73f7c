// Builds the addon and the TypeScript: npm run build
//
// Sets up first. Takes a minute and a quarter, and seconds if only the TypeScript changed. Writes npm/, dist/ and target/.
import { commandLine } from './command-line.mjs'
import { setup } from './setup.mjs'

commandLine(import.meta.url)
setup()
