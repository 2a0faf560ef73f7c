// The library stays mapped after the last thread that loaded it has ended, because its fork handler stays registered.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../tools/support.js'

/** A library that forks when it is loaded, and ends the process with code 40, 41 or 42 if the child did not end well. */
const FORKS = `
#include <sys/wait.h>
#include <unistd.h>
__attribute__((constructor)) static void forks(void) {
  pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) _exit(40);
  if (!WIFEXITED(status)) _exit(41);
  if (WEXITSTATUS(status) != 7) _exit(42);
}
`

test.skipIf(process.platform === 'darwin')('loaded in a worker alone, it outlives the worker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aesgcm-pinned-'))
  try {
    const library = join(folder, 'forks.so')
    // Windows has no fork.
    if (process.platform === 'linux') {
      writeFileSync(`${folder}/forks.c`, FORKS)
      const compiled = spawnSync('cc', ['-shared', '-fPIC', '-o', library, `${folder}/forks.c`])
      expect(compiled.status, String(compiled.stderr)).toBe(0)
    }
    const { status, stdout, stderr } = run(`
      import { spawnSync } from 'node:child_process'
      import { readFileSync } from 'node:fs'
      import { Worker } from 'node:worker_threads'
      // The name of a module, since the folder of an executable may have the package's name.
      const maps = () => process.platform === 'linux'
        ? readFileSync('/proc/self/maps', 'utf8').split('\\n') : process.report.getReport().sharedObjects
      const mapped = () => maps().some(name => /hardware-aes-gcm[^/\\\\]*$/.test(name))
      const before = mapped()
      const code = "import('hardware-aes-gcm').then(m => new m.AesGcm(m.randomBytes(32)).encrypt(Buffer.alloc(9)))"
      for (let n = 0; n < 3; n++) {
        await new Promise((resolve, reject) => new Worker(code, { eval: true }).on('error', reject).on('exit', resolve))
      }
      const spawned = spawnSync(process.execPath, ['-e', 'process.exitCode = 9']).status
      const load = () => process.dlopen({ exports: {} }, ${JSON.stringify(library)})
      try { load() } catch {}
      // A key in the main thread, which has a table of its own, still works.
      const aes = new AesGcm(Buffer.alloc(32))
      const text = aes.decrypt(aes.encrypt(Buffer.from('text'))).toString()
      console.log(before, mapped(), spawned, text)`)
    expect(stderr).toBe('')
    expect([status, stdout.trim()]).toEqual([0, 'false true 9 text'])
  } finally {
    rmSync(folder, { recursive: true, maxRetries: 10 })
  }
})
