/**
 * `npm run performance`: measures growth and disk, and puts tables and pictures of that into `docs/performance.md`. With the name
 * of a file that `npm run bench -- growth disk growth-postgres --json <file>` has written, it measures nothing, and leaves alone
 * what is not in there.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rounded } from '../bench/tools/rounds.js'
import { tableOf } from '../bench/tools/table.js'

/** @typedef {import('../bench/tools/table.js').Row} Row @typedef {{ at: string, node: string, cores: number, rows: Row[] }} Run */

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs', 'performance.md')
const pictures = join(root, 'docs', 'pictures')

const [given] = process.argv.slice(2)
const figures = given ?? join(mkdtempSync(join(tmpdir(), 'svc-performance-')), 'figures.json')
if (given === undefined) {
  const bench = [join(root, 'bench', 'run.js'), 'growth', 'disk', '--json', figures]
  const { status } = spawnSync(process.execPath, bench, { stdio: 'inherit' })
  // 1 is a missed target, which the page shows.
  if (status !== 0 && status !== 1) process.exit(status ?? 2)
}

/** @type {Run} */
const { at, node, cores, rows } = JSON.parse(readFileSync(figures, 'utf8'))
const onServer = rows.filter(({ what }) => what.startsWith('PostgreSQL: '))
const disk = rows.filter(({ parts }) => parts)
const growth = rows.filter((row) => row.figures?.includes(' ms') && !onServer.includes(row))
mkdirSync(pictures, { recursive: true })
let text = readFileSync(page, 'utf8')
section('growth', growth, () => {
  draw('growth.svg', growthPicture(seriesOf(growth)))
  return `${tableOf(growth)}\n\n![Milliseconds by size](pictures/growth.svg)`
})
section('growth-postgres', onServer, () => {
  draw('growth-postgres.svg', growthPicture(seriesOf(onServer)))
  const short = onServer.map((row) => ({ ...row, what: row.what.replace('PostgreSQL: ', '') }))
  return `${seriesTable(seriesOf(onServer))}\n\n![Milliseconds by size on PostgreSQL](pictures/growth-postgres.svg)\n\n${tableOf(short)}`
})
section('disk', disk, () => {
  draw('disk.svg', diskPicture(disk.flatMap(({ parts = [] }) => parts)))
  return `${tableOf(disk)}\n\n${partsTable(disk)}\n\n![Megabytes by part](pictures/disk.svg)`
})
writeFileSync(page, text)

/** A part of the page, unless nothing of it was measured. @param {string} name @param {Row[]} measured @param {() => string} words */
function section(name, measured, words) {
  if (measured.length === 0) return
  const command = name === 'growth-postgres' ? 'npm run bench -- growth-postgres' : 'npm run performance'
  text = replaced(text, name, `Measured on ${at} with Node ${node} on ${cores} cores, by \`${command}\`.\n\n${words()}`)
}

/** @param {string} name @param {string} svg */
function draw(name, svg) {
  writeFileSync(join(pictures, name), svg)
}

/** @param {Row[]} rows */
function seriesOf(rows) {
  return rows.flatMap(({ series }) => series ?? [])
}

/** Milliseconds of each operation, a column for each size. @param {NonNullable<Row['series']>[]} series */
function seriesTable(series) {
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ size }) => size)))].sort((a, b) => a - b)
  const lines = series.map(({ what, points }) => {
    const cells = sizes.map((size) => points.find((point) => point.size === size)?.milliseconds)
    return `| ${what} | ${cells.map((cell) => (cell === undefined ? 'over 10 s' : rounded(cell))).join(' | ')} |`
  })
  const head = `| milliseconds | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} |`
  return [head, `|---|${sizes.map(() => '---|').join('')}`, ...lines].join('\n')
}

/** Replaces the text between two marks of a page. @param {string} text @param {string} name @param {string} words */
function replaced(text, name, words) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no place for "${name}".`)
  return `${text.slice(0, from + begin.length)}\n${words}\n${text.slice(to)}`
}

/** @param {Row[]} rows */
function partsTable(rows) {
  const lines = rows.flatMap(({ parts = [] }) =>
    parts.map(({ what, megabytes }) => `| ${what} | ${megabytes.toFixed(1)} |`),
  )
  return ['| part | MB |', '|---|---|', ...lines].join('\n')
}

/** A line for each operation, both axes in powers of ten. @param {NonNullable<Row['series']>[]} series */
function growthPicture(series) {
  const [left, right, top, bottom] = [60, 700, 20, 380]
  const all = series.flatMap(({ points }) => points)
  const sizes = [...new Set(all.map(({ size }) => size))]
  const times = powersOfTen(all.map(({ milliseconds }) => milliseconds))
  const x = logarithmic(sizes, left, right)
  const y = logarithmic(times, bottom, top)
  const grid = [
    ...sizes.map((size) => line(x(size), top, x(size), bottom)),
    ...sizes.map((size) => label(x(size), bottom + 18, size.toLocaleString('en'), 'middle')),
    ...times.map((time) => line(left, y(time), right, y(time))),
    ...times.map((time) => label(left - 6, y(time) + 4, `${time} ms`, 'end')),
  ]
  const curves = series.flatMap(({ what, points }, at) => {
    const path = points.map(({ size, milliseconds }) => `${round(x(size))},${round(y(milliseconds))}`).join(' ')
    const key = top + 10 + at * 20
    return [
      `<polyline points="${path}" fill="none" stroke="${colourOf(at)}" stroke-width="2"/>`,
      `<rect x="${right + 14}" y="${key - 5}" width="12" height="10" fill="${colourOf(at)}"/>`,
      label(right + 34, key + 4, what),
    ]
  })
  const height = Math.max(bottom + 30, top + 20 + series.length * 20)
  return picture('Milliseconds of each operation by the number of documents', right + 320, height, [...grid, ...curves])
}

/** The powers of ten that span all of the values. @param {number[]} values */
function powersOfTen(values) {
  const first = Math.floor(Math.log10(Math.min(...values)))
  const last = Math.ceil(Math.log10(Math.max(...values)))
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at))
}

/** Maps values to places, logarithmically. @param {number[]} values in order @param {number} from @param {number} to */
function logarithmic(values, from, to) {
  const [least, most] = [Math.log10(values.at(0) ?? 1), Math.log10(values.at(-1) ?? 10)]
  return (/** @type {number} */ value) => from + ((Math.log10(value) - least) / (most - least || 1)) * (to - from)
}

/** A bar for each part, as long as it is large. @param {NonNullable<Row['parts']>} parts */
function diskPicture(parts) {
  const [left, width, step] = [200, 420, 26]
  const most = Math.max(1, ...parts.map(({ megabytes }) => megabytes))
  const bars = parts.map(({ what, megabytes }, at) => {
    const y = 10 + at * step
    const length = round((megabytes / most) * width)
    const bar = `<rect x="${left}" y="${y}" width="${length}" height="${step - 8}" fill="${colourOf(0)}"/>`
    return label(left - 8, y + 13, what, 'end') + bar + label(left + length + 6, y + 13, `${megabytes.toFixed(1)} MB`)
  })
  return picture('Megabytes of each part', left + width + 90, 20 + parts.length * step, bars)
}

/** @param {number} at */
function colourOf(at) {
  return `hsl(${(at * 47 + 210) % 360} 60% ${at % 2 === 0 ? 42 : 58}%)`
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10
}

/** @param {number} x @param {number} y @param {string} text @param {'start' | 'middle' | 'end'} [anchor] */
function label(x, y, text, anchor = 'start') {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
}

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 */
function line(x1, y1, x2, y2) {
  const [a, b, c, d] = [x1, y1, x2, y2].map(round)
  return `<line x1="${a}" y1="${b}" x2="${c}" y2="${d}" stroke="#8884"/>`
}

/** @param {string} title @param {number} width @param {number} height @param {string[]} shapes */
function picture(title, width, height, shapes) {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" fill="#888">`
  return [head, `<title>${title}</title>`, ...shapes, '</svg>', ''].join('\n')
}
