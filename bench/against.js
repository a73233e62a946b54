/**
 * `node bench/against.js <commit> <group …> [--pairs 20]`: this build against a former one. Both measure the same groups in turns, each
 * with its own bench and the packages of this checkout; a row is compared by the median of its pairs, and may be 10 % worse.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median, rounded } from './tools/rounds.js'
import { isReached, tableOf } from './tools/table.js'

const here = fileURLToPath(new URL('..', import.meta.url))
const { values: flags, positionals } = parseArgs({
  options: { pairs: { type: 'string', default: '20' } },
  allowPositionals: true,
})
const [commit, ...groups] = positionals
if (commit === undefined || groups.length === 0) {
  console.error('Name a commit and the groups to measure: node bench/against.js HEAD~20 start reads')
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'svc-against-'))
const former = join(folder, 'former')
execFileSync('git', ['worktree', 'add', '--detach', former, commit], {
  cwd: here,
  stdio: ['ignore', 'ignore', 'inherit'],
})
try {
  symlinkSync(join(here, 'node_modules'), join(former, 'node_modules'))
  const pairs = Array.from({ length: Number(flags.pairs) }, (_, pair) => {
    console.error(`pair ${pair + 1} of ${flags.pairs}`)
    return { before: measured(former), now: measured(here) }
  })
  const rows = compared(pairs)
  console.log(tableOf(rows))
  process.exitCode = rows.every(isReached) ? 0 : 1
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', former], { cwd: here })
  rmSync(folder, { recursive: true, force: true })
}

/** The rows of one run by their names. A missed target is no failure here. @param {string} root */
function measured(root) {
  const file = join(folder, 'rows.json')
  rmSync(file, { force: true })
  const words = [join(root, 'bench', 'run.js'), ...groups, '--json', file]
  spawnSync(process.execPath, words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  /** @type {import('./tools/table.js').Row[]} */
  const rows = JSON.parse(readFileSync(file, 'utf8')).rows
  return new Map(rows.map((row) => [row.what, row]))
}

/**
 * The rows that both have measured.
 *
 * @param {{ before: Map<string, import('./tools/table.js').Row>, now: Map<string, import('./tools/table.js').Row> }[]} pairs
 * @returns {import('./tools/table.js').Row[]}
 */
function compared(pairs) {
  return [...(pairs[0]?.now.values() ?? [])].flatMap(({ what, target }) => {
    const values = pairs.flatMap(({ before, now }) => {
      const [old, fresh] = [before.get(what), now.get(what)]
      return old && fresh ? [median(fresh.values) / median(old.values)] : []
    })
    if (values.length === 0) return []
    const limit = 'atMost' in target ? { atMost: 1.1 } : { atLeast: 0.9 }
    return [
      { what, against: `the same at ${commit}`, values, target: limit, figures: `${rounded(values.length)} pairs` },
    ]
  })
}
