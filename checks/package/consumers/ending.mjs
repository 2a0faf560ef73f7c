// Ends by an error that nobody catches, while async calls are in work on other threads.
import { AesGcm } from 'hardware-aes-gcm'

const aes = new AesGcm(AesGcm.generateKey())
for (let n = 0; n < 12; n++) aes.encryptInPlaceAsync(Buffer.from(new ArrayBuffer(32 << 20)))
throw new Error('ended on purpose')
