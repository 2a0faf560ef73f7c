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
  writeFileSync(file, `${lines({ machine, figures: FIGURES, results: nested(results) })}\n`)
  return path
}

const FIGURES = 'bytes of a message: [median ns, least ns]'

/** Figures by direction, by implementation and way, and by size. */
function nested(results) {
  const tree = {}
  for (const { bytes, direction, by, way, median, least } of results) {
    tree[direction] ??= {}
    tree[direction][`${by}, ${way}`] ??= {}
    tree[direction][`${by}, ${way}`][bytes] = [tenths(median), tenths(least)]
  }
  return tree
}

/** Rounds to tenths of a nanosecond, because smaller differences are noise. */
function tenths(ns) {
  return Math.round(ns * 10) / 10
}

/** JSON with each way on one line, so that a diff of two runs is easy to read. */
function lines(value, indent = '') {
  const isNested = Object.values(value).some(member => typeof member === 'object' && !Array.isArray(member))
  if (typeof value !== 'object' || !isNested) return JSON.stringify(value, null, 1).replace(/\s+/g, ' ')
  const members = Object.entries(value).map(
    ([name, member]) => `${indent}  ${JSON.stringify(name)}: ${lines(member, `${indent}  `)}`,
  )
  return `{\n${members.join(',\n')}\n${indent}}`
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
