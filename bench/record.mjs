// Stores a run, its machine and its results, as bench/record/<cpu>/<date>-node<major>.json (or …-<part>.json).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, platform } from 'node:os'
import { dirname } from 'node:path'

/** The facts that a run's figures depend on. */
export function machine(backend) {
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: model(),
    cpus: cpus().length,
    backend,
    platform: `${platform()} ${arch()}`,
    node: process.versions.node,
    openssl: process.versions.openssl,
  }
}

/**
 * Writes a run and gives its path, relative to the repository. `part` names the only part that was measured, if it was one.
 * A later run of the same day replaces the file.
 */
export function write({ machine, results, part }, root) {
  const major = machine.node.split('.')[0]
  const name = [machine.date, `node${major}`, ...(part ? [part] : [])].join('-')
  const path = `bench/record/${slug(machine.cpu)}/${name}.json`
  const file = new URL(path, root)
  mkdirSync(dirname(file.pathname), { recursive: true })
  const text = JSON.stringify({ machine, results: nested(results) }, null, 2)
  // Each result on one line, so that a diff of two runs is easy to read.
  writeFileSync(
    file,
    `${text.replace(/\{\s+("median"[^}]*?)\s+\}/g, (_, own) => `{ ${own.replace(/\s+/g, ' ')} }`)}\n`,
  )
  return path
}

/** Figures by size, direction, implementation and way. */
function nested(results) {
  const tree = {}
  for (const { bytes, direction, by, way, median, least, samples, calls } of results) {
    tree[bytes] ??= {}
    tree[bytes][direction] ??= {}
    tree[bytes][direction][by] ??= {}
    tree[bytes][direction][by][way] = { median: tenths(median), least: tenths(least), samples, calls }
  }
  return tree
}

/** Rounds to tenths of a nanosecond, because smaller differences are noise. */
function tenths(ns) {
  return Math.round(ns * 10) / 10
}

/** The CPU's name. If it has no number, because a hypervisor hides the model, family and model follow it. */
function model() {
  const name = (cpus()[0]?.model ?? 'unknown')
    .replace(/\((R|TM)\)|\bCPU\b|\bProcessor\b|\b\d+-Core\b|@.*$/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return /\d/.test(name) ? name : [name, ...numbers()].join(' ')
}

/** The numbers by which Linux identifies the CPU, beside its name. */
function numbers() {
  let info
  try {
    info = readFileSync('/proc/cpuinfo', 'utf8')
  } catch {
    return [arch()]
  }
  return [
    ['family', /^cpu family\s*: (.*)$/m],
    ['model', /^model\s*: (.*)$/m],
    ['implementer', /^CPU implementer\s*: (.*)$/m],
    ['part', /^CPU part\s*: (.*)$/m],
  ].flatMap(([name, pattern]) => (pattern.test(info) ? [`${name} ${pattern.exec(info)[1]}`] : []))
}

function slug(name) {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
