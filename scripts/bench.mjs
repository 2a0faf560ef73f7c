// `npm run bench`: sets up, builds, and measures against other implementations. `-- --quick` takes seconds, without a record;
// `-- --shares` measures only the shares of keys.
import { refuseCap } from './compile.mjs'
import { setup } from './setup.mjs'

refuseCap('npm run bench')
setup()
await import('../bench/main.mjs')
