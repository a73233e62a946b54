import type { Snapshot } from '../../client/protocol/control/snapshots.js'
import { formatBytes } from '../../client/protocol/model/figures.js'
import { counted } from '../terminal/print.js'
import { shortTime } from '../terminal/short-time.js'

/** Summarizes a snapshot: "3 documents in 2 collections, 1 user, 4 files". */
export function describeContent({ collections, documents, users, files }: Snapshot): string {
  const parts = [`${counted(documents, 'document')} in ${counted(collections, 'collection')}`]
  return [...parts, counted(users, 'user'), counted(files, 'file')].join(', ')
}

/** Formats a snapshot as a table row. Missing values stay empty. */
export function snapshotRow({ name, madeAt, collections, documents, users, files, bytes, ...snapshot }: Snapshot) {
  const [branch, commit, command] = furtherColumns.map((column) => snapshot[column] ?? undefined)
  return {
    name,
    madeAt: shortTime(madeAt),
    collections,
    documents,
    users,
    files,
    size: formatBytes(bytes),
    branch,
    commit,
    command,
  }
}

/** Columns that are shown only if they have a value. */
export const furtherColumns = ['branch', 'commit', 'command'] as const
