// Answers of our own for shares, some of which docs/formats.md shows; models/shares.ts gave them. With H for SHA-256 of a text, the
// secret's polynomial has the coefficients secret, H("secret 1"), H("secret 2"), and the other one H("blind 0"), H("blind 1"),
// H("blind 2"): as many as the threshold.
import { loadBytes } from './load.js'

interface Split {
  threshold: number
  secret: Buffer
  blind: Buffer
  coefficients: { secret: Buffer[]; blind: Buffer[] }
  /** `binary` is the header, the check, the value of the secret, and the other value. */
  shares: { binary: Buffer; text: string }[]
}

export const SPLITS: Split[] = loadBytes('./shares.json')
