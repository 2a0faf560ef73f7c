// `npm run bench`: sets up, builds, and measures against other implementations. `-- --quick`: seconds, and no record.
import { refuseCap } from './compile.mjs'
import { setup } from './setup.mjs'

refuseCap('npm run bench')
setup()
await import('../bench/main.mjs')
