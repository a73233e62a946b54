/**
 * Compares this build with an earlier commit: `node bench/against.js <commit> [group …] [--pairs 20]`. Installs and
 * builds the commit in a temporary worktree, runs both services side by side, and measures each operation on them in
 * turns. The median of the pairs may be at most 10 % worse.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureRealtime } from './against/realtime.js'
import { measureBatches, measureReads } from './against/requests.js'
import { measureClient, measureStart } from './against/start.js'
import { formatTable, isReached } from './tools/table.js'

const groups = {
  start: measureStart,
  reads: measureReads,
  batches: measureBatches,
  realtime: measureRealtime,
  client: measureClient,
}
const names = /** @type {(keyof typeof groups)[]} */ (Object.keys(groups))

const here = fileURLToPath(new URL('..', import.meta.url))
const { values: flags, positionals } = parseArgs({
  options: { pairs: { type: 'string', default: '20' } },
  allowPositionals: true,
})
const [commit, ...asked] = positionals
const unknown = asked.find((name) => !names.some((known) => known === name))
if (commit === undefined || unknown !== undefined) {
  console.error(`Pass a commit and any of ${names.join(', ')}, for example: node bench/against.js HEAD~20 start reads`)
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'svc-against-'))
const former = join(folder, 'former')
execFileSync('git', ['worktree', 'add', '--detach', former, commit], {
  cwd: here,
  stdio: ['ignore', 'ignore', 'inherit'],
})
try {
  for (const words of [
    ['ci', '--no-audit', '--no-fund'],
    ['run', 'build'],
  ]) {
    execFileSync('npm', words, { cwd: former, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  const builds = { before: former, now: here }
  const rows = []
  for (const name of names) {
    if (asked.length > 0 && !asked.includes(name)) continue
    console.error(`measuring ${name} …`)
    rows.push(...(await groups[name](builds, Number(flags.pairs))))
  }
  console.log(formatTable(rows))
  process.exitCode = rows.every(isReached) ? 0 : 1
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', former], { cwd: here })
  rmSync(folder, { recursive: true, force: true })
}
