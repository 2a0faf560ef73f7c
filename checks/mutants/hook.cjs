// Loaded by every file of lib that has mutants compiled in: tells which mutant is chosen, or notes which ones a test reaches.
//
// The file `chosen` beside the folder dist names the mutant. A file, not a variable of the environment, since some tests start
// processes with an environment of their own. Read once a process and thread, before a test may patch built-ins.
const { openSync, readFileSync, writeSync } = require('node:fs')
const { join } = require('node:path')

const folder = join(__dirname, '..', '..')
const [mode, argument] = readFileSync(join(folder, 'chosen'), 'utf8').split(' ')
/** The mutants that were reached, as the names of an object that has no others. */
const reached = Object.create(null)

/** Whether the mutant is the chosen one. */
exports.chosen = id => mode === 'mutant' && id === argument

/** Opened here, since a test may use up all descriptors later; undefined in a process that may not write this file. */
const notes = mode === 'reach' ? opened(argument) : undefined

function opened(path) {
  try {
    return openSync(path, 'a')
  } catch {
    return undefined
  }
}

/** Notes that a test reached the mutants, where that is asked. */
exports.reach =
  notes !== undefined
    ? (...ids) => {
        let fresh = ''
        for (let i = 0; i < ids.length; i++)
          if (!reached[ids[i]]) {
            reached[ids[i]] = true
            fresh += `${ids[i]}\n`
          }
        if (fresh !== '') writeSync(notes, fresh)
      }
    : () => {}
