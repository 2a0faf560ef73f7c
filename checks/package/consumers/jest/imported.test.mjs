// A test in Jest's mode for ES modules.
import * as aesgcm from 'hardware-aes-gcm'
import everyFunction from '../every-function.cjs'

test('every function, of the package as it is imported', () => {
  everyFunction({ ...aesgcm })
})
