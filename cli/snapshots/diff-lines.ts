/** Formats a diff for the terminal: a heading per collection and a line per record. */
import type { SnapshotDiff } from '../../client/protocol/control/snapshots.js'
import { count } from '../terminal/print.js'

type Differences = SnapshotDiff['users']

const signs = { added: '+', removed: '-', changed: '~' } as const
/** Records printed per collection. `--json` prints more. */
const maxLines = 20

export function diffLines(diff: SnapshotDiff): string[] {
  const { documents, collections, users, files, accounts, settings } = diff
  return [
    ...part('collections', collections),
    ...documents.flatMap((each) => part(each.collection, each)),
    ...part('users', users),
    ...part('files', files),
    ...part('accounts of the login provider', accounts),
    ...(settings.length > 0 ? [`settings: ~ ${settings.join(', ')}`] : []),
  ]
}

function part(title: string, { added, removed, changed, records }: Differences): string[] {
  const all = added + removed + changed
  if (all === 0) return []
  const counts = Object.entries({ added, removed, changed }).filter(([, number]) => number > 0)
  const lines = records.slice(0, maxLines).map(({ id, name, kind, fields }) => {
    const words = [name ?? id, ...(fields.length > 0 ? [fields.join(', ')] : [])]
    return `  ${signs[kind]} ${words.join('  ')}`
  })
  const more = all - lines.length
  return [
    `${title}: ${counts.map(([kind, number]) => `${count(number)} ${kind}`).join(', ')}`,
    ...lines,
    ...(more > 0 ? [`  and ${count(more)} more`] : []),
  ]
}
