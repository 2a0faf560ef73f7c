// A consumer that has the package under another name (an npm alias), and a second version of it below another package.
import { AesGcm, type AesGcmOptions, KeyArena } from 'aes-under-another-name'
import { AesGcm as Original } from 'hardware-aes-gcm'
import { older } from 'needs-another-version'

const options: AesGcmOptions = { nonceAt: 'end' }
const key = Original.generateKey()
const frame = new AesGcm(key, options).encrypt(Buffer.from('two copies'))
const opened: Buffer = older(key).decrypt(frame)
if (opened.toString() !== 'two copies') throw new Error('the copies do not understand each other')

let said = ''
try {
  new Original(key, { arena: new KeyArena({ keys: 1 }) })
} catch (error) {
  said = (error as Error).message
}
if (!said.includes('another copy of hardware-aes-gcm')) throw new Error(`of another copy is said: ${said}`)
console.log(new AesGcm(key).backend)
