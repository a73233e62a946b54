import { median, rounded } from './rounds.js'

/**
 * One line of performance: what is measured against what, as a ratio (or a plain figure) of several rounds.
 *
 * @typedef {{
 *   what: string, against: string, values: number[], target: { atMost: number } | { atLeast: number },
 *   unit?: string, figures?: string,
 * }} Row
 */

const headings = ['what', 'against', 'min', 'median', 'max', 'target', '', 'figures (medians)']

/** @param {Row} row */
export function isReached({ values, target }) {
  const middle = median(values)
  return 'atMost' in target ? middle <= target.atMost : middle >= target.atLeast
}

/** Rows as a table in Markdown. @param {Row[]} rows */
export function tableOf(rows) {
  const lines = [headings, ...rows.map(cellsOf)]
  const widths = headings.map((_, column) => Math.max(3, ...lines.map((cells) => (cells[column] ?? '').length)))
  const written = lines.map(
    (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  written.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`)
  return written.join('\n')
}

/** @param {Row} row */
function cellsOf(row) {
  const { what, against, values, target, unit = '', figures = '' } = row
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map(rounded)
  const goal = 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`
  return [what, against, least, middle, most, `${goal}${unit}`, isReached(row) ? 'pass' : 'MISS', figures].map(String)
}
