/**
 * `npm run reliability`: runs the long forms of `test/reliability`, and puts tables and a picture of what they found into
 * `docs/reliability.md`. Names of parts (`faults`, `fuzz`, …) run those alone. With `--ledger <file>` it runs nothing and
 * reads what a run has written there.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/**
 * @typedef {{ what: string, points: [at: number, value: number][] }} Series
 * @typedef {{ part: string, what: string, engine: string, count: number, unit: string, found: Record<string, number>, seed: number, series?: Series[] }} Entry
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs', 'reliability.md')
const pictures = join(root, 'docs', 'pictures')

const { values, positionals } = parseArgs({ allowPositionals: true, options: { ledger: { type: 'string' } } })
const ledger = values.ledger ?? join(mkdtempSync(join(tmpdir(), 'svc-reliability-')), 'ledger.ndjson')
let status = 0
if (values.ledger === undefined) {
  writeFileSync(ledger, '')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const parts = positionals.map((part) => `test/reliability/${part}`)
  const args = [vitest, 'run', '--config', join(root, 'vitest.reliability.config.ts'), ...parts]
  const env = { ...process.env, SVC_RELIABILITY_LEDGER: ledger }
  status = spawnSync(process.execPath, args, { stdio: 'inherit', cwd: root, env }).status ?? 2
  console.log(`What was found is in ${ledger}`)
}

const lines = readFileSync(ledger, 'utf8').split('\n').filter(Boolean)
/** @type {Entry[]} */
const entries = lines.map((line) => JSON.parse(line))
const at = new Date().toISOString().slice(0, 10)
const measured = `Run on ${at} with Node ${process.version} on ${cpus().length} cores, by \`npm run reliability\`.`
let text = readFileSync(page, 'utf8')
for (const part of new Set(entries.map((entry) => entry.part))) {
  const own = entries.filter((entry) => entry.part === part)
  text = replaced(text, part, `${measured}\n\n${tableOf(own)}`)
}
const series = entries.flatMap((entry) => entry.series ?? [])
if (series.length > 0) {
  mkdirSync(pictures, { recursive: true })
  writeFileSync(join(pictures, 'soak.svg'), picture(series))
}
writeFileSync(page, text)
process.exit(status)

/** Replaces the text between two marks of the page. @param {string} text @param {string} name @param {string} words */
function replaced(text, name, words) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/reliability.md has no place for "${name}".`)
  return `${text.slice(0, from + begin.length)}\n${words}\n${text.slice(to)}`
}

/** @param {Entry[]} entries */
function tableOf(entries) {
  const rows = entries.map(({ what, engine, count, unit, found, seed }) => {
    const kinds = Object.entries(found).map(([kind, times]) => `${times.toLocaleString('en')} ${kind}`)
    return `| ${what} | ${engine} | ${count.toLocaleString('en')} ${unit} | ${kinds.join(', ')} | ${seed} |`
  })
  return ['| what | on | how much | found | seed |', '|---|---|---|---|---|', ...rows].join('\n')
}

/** A line for each figure over time, each as a share of its own first value. @param {Series[]} series */
function picture(series) {
  const [left, right, top, bottom] = [50, 650, 20, 280]
  const last = Math.max(1, ...series.flatMap(({ points }) => points.map(([at]) => at)))
  const shares = series.map(({ what, points }) => {
    const first = points[0]?.[1] || 1
    return { what, points: points.map(([at, value]) => /** @type {const} */ ([at, value / first])) }
  })
  const most = Math.max(2, ...shares.flatMap(({ points }) => points.map(([, share]) => share)))
  const x = (/** @type {number} */ at) => (left + (at / last) * (right - left)).toFixed(1)
  const y = (/** @type {number} */ share) => (bottom - (share / most) * (bottom - top)).toFixed(1)
  const curves = shares.flatMap(({ what, points }, at) => {
    const colour = `hsl(${(at * 97 + 210) % 360} 60% 45%)`
    const line = points.map(([when, share]) => `${x(when)},${y(share)}`).join(' ')
    return [
      `<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      `<rect x="${right + 14}" y="${top + at * 20}" width="12" height="10" fill="${colour}"/>`,
      `<text x="${right + 32}" y="${top + 9 + at * 20}">${what}</text>`,
    ]
  })
  const grid = Array.from({ length: Math.floor(most) + 1 }, (_, share) => [
    `<line x1="${left}" y1="${y(share)}" x2="${right}" y2="${y(share)}" stroke="#8884"/>`,
    `<text x="${left - 6}" y="${Number(y(share)) + 4}" text-anchor="end">${share}×</text>`,
  ]).flat()
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 320" width="900" height="320" font-family="sans-serif" font-size="12" fill="#888">`
  const axis = `<text x="${right}" y="${bottom + 20}" text-anchor="end">${Math.round(last / 60)} minutes</text>`
  return [
    head,
    '<title>Memory and file descriptors while it runs</title>',
    ...grid,
    ...curves,
    axis,
    '</svg>',
    '',
  ].join('\n')
}
