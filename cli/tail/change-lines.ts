import type { DocumentChange, Fields } from '../../client/index.js'
import { differences, fitting } from '../documents/edit/differences.js'
import { onStdout } from '../terminal/colour.js'
import { cut, printable } from '../terminal/text-width.js'

const maxFields = 12
const indent = '          '

const colours = { created: onStdout.green, updated: onStdout.yellow, deleted: onStdout.red } as const

/** Formats a change: time, kind and document, then the changed fields. */
export function changeLines(
  collection: string,
  { kind, document }: DocumentChange,
  before: Fields | undefined,
  now: Date,
): string {
  const time = onStdout.dim(formatTime(document, now))
  const head = `${time}  ${colours[kind](kind)}  ${onStdout.bold(printable(collection))}  ${printable(document.id)}`
  return [head, ...fieldLines(kind, document.data, before)].join('\n')
}

/** Formats the changed fields, one per line. */
export function fieldLines(kind: DocumentChange['kind'], data: Fields, before: Fields | undefined): string[] {
  return fewer(allFields(kind, data, before)).map((line) => `${indent}${line}`)
}

/** Formats the time by the service's clock, with the day unless it is today. */
function formatTime({ updatedAt }: DocumentChange['document'], now: Date): string {
  const at = new Date(updatedAt)
  if (Number.isNaN(at.getTime())) return now.toTimeString().slice(0, 8)
  const day = at.toDateString() === now.toDateString() ? '' : `${at.toLocaleDateString('sv')} `
  return day + at.toTimeString().slice(0, 8)
}

function allFields(kind: DocumentChange['kind'], data: Fields, before: Fields | undefined): string[] {
  if (kind === 'deleted') return []
  const columns = fitting(process.stdout, indent.length)
  if (kind === 'created') return differences({}, data, { colours: onStdout, columns })
  if (before) return differences(before, data, { colours: onStdout, columns })
  // The previous document is unknown, so any of the fields may have changed.
  const lines = Object.entries(data).map(([name, value]) => `  ${printable(name)}: ${printable(JSON.stringify(value))}`)
  return lines.map((line) => onStdout.dim(cut(line, columns)))
}

function fewer(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxFields) return lines
  return [...lines.slice(0, maxFields), onStdout.dim(`  … and ${lines.length - maxFields} more`)]
}
