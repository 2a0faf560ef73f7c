// `npm run bench`: sets up, builds, and measures against other implementations. `-- --quick`: seconds, and no record.
import { setup } from './setup.mjs'

setup()
await import('../bench/main.mjs')
