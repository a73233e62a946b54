/** Formats the preview of a migration for the terminal. */

import type { ChalkInstance } from 'chalk'
import { differences, fitting } from '../documents/edit/differences.js'
import { count, counted } from '../terminal/print.js'
import type { MigrationPreview } from './evaluate-migration.js'

/** Fields to list. `--json` lists all. */
const maxFields = 10
const indent = '  '

export function previewLines(
  { documents, changes, fields, examples }: MigrationPreview,
  stream: NodeJS.WriteStream,
): string[] {
  const columns = fitting(stream, indent.length)
  const byCount = Object.entries(fields).sort(([, one], [, other]) => other - one)
  const named = byCount.slice(0, maxFields).map(([name, number]) => `${name} (${count(number)})`)
  const more = byCount.length > maxFields ? [`and ${count(byCount.length - maxFields)} more`] : []
  const left = changes - examples.length
  return [
    `${count(changes)} of ${counted(documents, 'document')} would change.`,
    ...(changes > 0 ? [`fields: ${[...named, ...more].join(', ')}`] : []),
    ...examples.flatMap(({ id, before, after }) => [
      id,
      ...differences(before, after, { columns }).map((line) => `${indent}${line}`),
    ]),
    ...(left > 0 && examples.length > 0 ? [`… and ${counted(left, 'more document')}`] : []),
  ]
}

/** Colors removed lines red and added lines green. */
export function lineColour(
  line: string,
  { red, green }: Pick<ChalkInstance, 'red' | 'green'>,
): (text: string) => string {
  if (line.startsWith(`${indent}-`)) return red
  return line.startsWith(`${indent}+`) ? green : String
}
