// `npm run bench`: sets up, builds, and measures against node:crypto. `-- --quick` takes a tenth of the time.
import { setup } from './setup.mjs'

setup()
await import('../bench/smoke.mjs')
