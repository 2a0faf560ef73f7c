// Faults of batches of rows.
import { AUTHENTICATION, afterwards, changing, fault, flip, forgiving } from './planted.js'

const withoutAad = changing(([rows, options]) => [
  rows,
  typeof options?.aad === 'function' ? undefined : options,
])
fault('ignores a function aad', /^rows with AAD each/, 'encryptBatch', withoutAad)
const late = changing(([rows, options]) => {
  if (typeof options?.aad !== 'function' || !Array.isArray(rows)) return [rows, options]
  const aads = rows.map(options.aad)
  return [rows, { ...options, aad: (_: unknown, i: number) => aads[i] }]
})
fault('reads the results of aad after its last call', /^rows with AAD each in one/, 'encryptBatch', late)
const opening = afterwards(opened => opened.map((text: unknown) => text ?? Buffer.alloc(0)))
fault('gives a text for a forged frame', /^rows that were changed/, 'tryDecryptBatch', opening)
const silent = forgiving(AUTHENTICATION, () => [])
fault('does not throw for a forged frame', /^rows that were changed/, 'decryptBatch', silent)
const changed = afterwards((result, [rows]) => {
  for (const row of rows) flip(row, 0)
  return result
})
fault('changes its rows', /^rows with AAD none/, 'encryptBatch', changed)
