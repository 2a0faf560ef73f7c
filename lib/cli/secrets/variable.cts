// Variables of the environment that contain a secret.
import { Failure } from '../frame/failure.cjs'
import { NOT_REPEATED } from '../frame/naming.cjs'
import { hint } from '../frame/words.cjs'

/** The value of the variable that an option names. The name of no variable may be a secret. */
export function valueOfVariable(name: string, option: string): string {
  const value = process.env[name]
  if (value !== undefined) return value
  const like = hint(name, Object.keys(process.env))
  const what = `--${option} (a name of ${name.length} characters): no environment variable has this name${like}`
  throw new Failure('ERR_INPUT', like === '' ? `${what}; ${NOT_REPEATED}` : what)
}
