// A test in Jest's mode for ES modules.
import * as aesgcm from 'hardware-aes-gcm'
import { CLASSES } from '../conformance/classes.mjs'
import { conforms } from '../conformance/index.mjs'
import everyFunction from '../every-function.cjs'
import offThread from '../off-thread.cjs'

test('every function, of the package as it is imported', () => {
  everyFunction({ ...aesgcm })
})

test('the functions off the thread', () => offThread({ ...aesgcm }))

test('the conformance suite', () => {
  expect(conforms(CLASSES, aesgcm.cpu().backends)).toBeGreaterThan(0)
})
