import type { DocumentChange, Fields } from '../../client/index.js'
import { differences, fitting } from '../documents/edit/differences.js'
import { onStdout } from '../terminal/colour.js'
import { cut, printable } from '../terminal/text-width.js'

const mostFields = 12
const indent = '          '

const colours = { created: onStdout.green, updated: onStdout.yellow, deleted: onStdout.red } as const

/** A change for people: when it happened, what and which, then what is new, field by field. */
export function changeLines(
  collection: string,
  { kind, document }: DocumentChange,
  before: Fields | undefined,
  now: Date,
): string {
  const time = onStdout.dim(timeOf(document, now))
  const head = `${time}  ${colours[kind](kind)}  ${onStdout.bold(printable(collection))}  ${printable(document.id)}`
  return [head, ...fieldLines(kind, document.data, before)].join('\n')
}

/** What is new, field by field. */
export function fieldLines(kind: DocumentChange['kind'], data: Fields, before: Fields | undefined): string[] {
  return fewer(allFields(kind, data, before)).map((line) => `${indent}${line}`)
}

/** When it happened, by the service's clock; with its day where that is not today. */
function timeOf({ updatedAt }: DocumentChange['document'], now: Date): string {
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
  // It was not seen before, so it is unknown which of them changed.
  const lines = Object.entries(data).map(([name, value]) => `  ${printable(name)}: ${printable(JSON.stringify(value))}`)
  return lines.map((line) => onStdout.dim(cut(line, columns)))
}

function fewer(lines: readonly string[]): readonly string[] {
  if (lines.length <= mostFields) return lines
  return [...lines.slice(0, mostFields), onStdout.dim(`  … and ${lines.length - mostFields} more`)]
}
