// The agreement of every class with its oracle, thorough: the longest part of the conformance suite.
import { cpu } from 'hardware-aes-gcm'
import { describe, test } from 'vitest'
import { agreement } from './conformance/agreement.mjs'
import { CLASSES } from './conformance/classes.mjs'
import { everywhere } from './conformance/index.mjs'

for (const { name, cases } of CLASSES.flatMap(subject => everywhere(subject, cpu().backends))) {
  describe(name, () => {
    for (const { name, run } of cases([agreement], true)) test(name, run)
  })
}
