/**
 * `npm run mutation`: changes the code in small ways with Stryker, one at a time, and looks whether the tests of the group notice.
 * Names of groups (`auth`, `filters`, …; `mutation/groups.js`) run those alone. Puts the table into `docs/reliability.md`, and
 * fails where fewer than 85 % of a group were killed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { groups } from '../mutation/groups.js'

/**
 * @typedef {{ status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'RuntimeError' | 'CompileError', statusReason?: string }} Mutant
 * @typedef {{ files: Record<string, { mutants: Mutant[] }> }} Report
 */

const leastPercent = 85

const root = fileURLToPath(new URL('..', import.meta.url))
const own = join(root, 'mutation')
const stryker = join(own, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
const page = join(root, 'docs', 'reliability.md')

if (!existsSync(stryker)) {
  console.error('Stryker is not among the dependencies. Run "npm ci --prefix mutation --ignore-scripts" first.')
  process.exit(2)
}
const names = process.argv.slice(2)
const unknown = names.find((name) => !Object.hasOwn(groups, name))
if (unknown !== undefined) {
  console.error(`No group "${unknown}" (one of ${Object.keys(groups).join(', ')}).`)
  process.exit(2)
}

let status = 0
for (const name of names.length === 0 ? Object.keys(groups) : names) {
  const env = { ...process.env, SVC_MUTATION_GROUP: name }
  const args = [stryker, 'run', join(own, 'stryker.config.js')]
  if (spawnSync(process.execPath, args, { stdio: 'inherit', cwd: root, env }).status !== 0) status = 2
}
// Groups that ran before still have their reports.
const rows = Object.keys(groups).flatMap(rowsOf)
const at = new Date().toISOString().slice(0, 10)
const measured = `Run on ${at} with Node ${process.version} on ${cpus().length} cores, by \`npm run mutation\`.`
const table = [
  '| group | file | mutants | killed | survived | of these not reached | percent killed |',
  '|---|---|---|---|---|---|---|',
  ...rows,
]
writeFileSync(page, replaced(readFileSync(page, 'utf8'), `${measured}\n\n${table.join('\n')}`))
process.exit(status)

/** A line for each file of a group, and one for all of them. @param {string} group */
function rowsOf(group) {
  const path = join(own, '.stryker-reports', `${group}-report.json`)
  if (!existsSync(path)) return []
  /** @type {Report} */
  const { files } = JSON.parse(readFileSync(path, 'utf8'))
  const counted = Object.entries(files).map(([file, { mutants }]) => ({ file: `\`${file}\``, ...countsOf(mutants) }))
  const all = { file: '**all**', ...countsOf(Object.values(files).flatMap(({ mutants }) => mutants)) }
  if (all.refused > 0) {
    console.error(
      `${group}: ${all.refused} mutants were killed by a service that was gone, which says nothing of the tests.`,
    )
    status = 2
  }
  if (all.percent < leastPercent) {
    console.error(`${group}: ${all.percent.toFixed(1)} % killed; it takes ${leastPercent} %.`)
    status ||= 1
  }
  return [...counted, all].map(
    ({ file, mutants, killed, survived, missed, percent }) =>
      `| ${group} | ${file} | ${mutants} | ${killed} | ${survived} | ${missed} | ${percent.toFixed(1)} |`,
  )
}

/** @param {Mutant[]} mutants */
function countsOf(mutants) {
  const count = (/** @type {Mutant['status'][]} */ ...kinds) =>
    mutants.filter(({ status }) => kinds.includes(status)).length
  const killed = count('Killed', 'Timeout')
  const missed = count('NoCoverage')
  const survived = count('Survived') + missed
  const refused = mutants.filter(({ statusReason }) => /ECONNREFUSED|Invalid URL/.test(statusReason ?? '')).length
  return {
    mutants: killed + survived,
    killed,
    survived,
    missed,
    refused,
    percent: (100 * killed) / (killed + survived || 1),
  }
}

/** @param {string} text @param {string} words */
function replaced(text, words) {
  const [begin, end] = ['<!-- mutation -->', '<!-- /mutation -->']
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error('docs/reliability.md has no place for the table of mutants.')
  return `${text.slice(0, from + begin.length)}\n${words}\n${text.slice(to)}`
}
