// Proves that the readers of hardware-aes-gcm/legacy read what the packages of npm write: check.mjs
//
// Texts at random are sealed by @47ng/cloak, cryptr, typeorm-encrypted (with typeorm) and @boringnode/encryption themselves, and opened
// here. Changed texts, planted on purpose, must be refused. AESGCM_SEED repeats the texts, not the nonces. Installs the packages from
// npm into the user's cache, at versions that stand here. Takes about 20 seconds after the first time.
import { commandLine } from '../../scripts/command-line.mjs'
import { setup } from '../../scripts/setup.mjs'
import { stop } from '../../scripts/tools.mjs'
import { seed } from '../tools/random.mjs'

commandLine(import.meta.url)
setup()
// After the build, without which there is no package.
const { exchange } = await import('./exchange.mjs')
try {
  for (const line of await exchange()) console.log(`legacy: ${line}`)
} catch (error) {
  stop(`checks/legacy, AESGCM_SEED=${seed}: ${error.message}`)
}
