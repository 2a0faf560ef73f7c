// Parses JSON from outside.
import { parseJson, rethrowOverflow } from './builtins.cjs'

/** The object or array that a text is the JSON of; undefined for every other text. */
export function objectOf(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseJson(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
}
