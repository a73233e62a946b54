import { median, rounded } from './rounds.js'

/**
 * A row of the table: a ratio (or a plain figure) from several rounds, with its target.
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

/** Formats rows as a Markdown table. @param {Row[]} rows */
export function formatTable(rows) {
  const lines = [headings, ...rows.map(formatCells)]
  const widths = headings.map((_, column) => Math.max(3, ...lines.map((cells) => (cells[column] ?? '').length)))
  const written = lines.map(
    (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  written.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`)
  return written.join('\n')
}

/** @param {Row} row */
function formatCells(row) {
  const { what, against, values, target, unit = '', figures = '' } = row
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map(rounded)
  const goal = 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`
  return [what, against, least, middle, most, `${goal}${unit}`, isReached(row) ? 'pass' : 'MISS', figures].map(String)
}
