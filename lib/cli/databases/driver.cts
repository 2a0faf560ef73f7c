// The drivers of databases, which the user's project has: this package depends on none.
import { modules } from '../../cipher/base/builtins.cjs'
import { Failure } from '../frame/failure.cjs'

const { join } = process.getBuiltinModule('node:path')

/** A driver that the project of the current folder has; undefined without it. */
export function driverOf<Driver>(name: string): Driver | undefined {
  // The name of a file in the folder: it need not exist.
  const load = modules.createRequire(join(process.cwd(), 'driver.cjs'))
  let path: string
  try {
    path = load.resolve(name)
  } catch {
    return undefined
  }
  try {
    return load(path) as Driver
  } catch (error) {
    const [line = ''] = String((error as Error | undefined)?.message ?? 'unknown').split('\n')
    throw new Failure('ERR_DRIVER', `this project's driver ${name} failed to load: ${line}`)
  }
}

export function neededDriver<Driver>(name: string, packageName: string, database: string): Driver {
  const driver = driverOf<Driver>(name)
  if (driver !== undefined) return driver
  throw missing(`${database} needs the driver ${packageName}`, packageName)
}

export function missing(what: string, packageName: string): Error {
  return new Failure('ERR_DRIVER', `${what}, which this project does not have: npm install ${packageName}`)
}
