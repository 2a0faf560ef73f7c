// What a value does in a reader, by all of its methods.
import { type LayoutOptions, layoutReader } from 'hardware-aes-gcm/legacy'
import { expect } from 'vitest'
import { refuses } from '../../tools/support.js'

/** The value opens by every method, as this text. */
export function opens(options: LayoutOptions, sealed: string | object, text: string): void {
  const reader = layoutReader(options)
  expect([reader.open(sealed), reader.tryOpen(sealed)]).toEqual([text, text])
  expect([reader.openBytes(sealed), reader.tryOpenBytes(sealed)].map(String)).toEqual([text, text])
}

function refused(code: string) {
  return (options: LayoutOptions, sealed: string | object): void => {
    const reader = layoutReader(options)
    for (const method of ['open', 'openBytes'] as const) refuses(() => reader[method](sealed), code)
    expect([reader.tryOpen(sealed), reader.tryOpenBytes(sealed)]).toEqual([null, null])
  }
}

/** The value has the layout, and is refused. */
export const isForged = refused('ERR_AESGCM_AUTHENTICATION_FAILED')
/** The value does not have the layout. */
export const isOther = refused('ERR_AESGCM_UNKNOWN_LAYOUT')

export function says(run: () => unknown, code: string, part: string): void {
  expect(refuses(run, code).message).toContain(part)
}
