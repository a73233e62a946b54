/** Saves the undo of a push in the format of `svc docs batch`, since a hosted service has no snapshots. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { recordsFolder } from '../target/records-folder.js'
import { appendLines, reversePieces } from './line-file.js'
import type { Undo } from './operations.js'

export interface UndoFile {
  readonly path: string
  readonly isThere: boolean
  add(undo: readonly Undo[]): void
  /**
   * Puts the last write first, so that a document is restored before its creation is undone. A killed push leaves the original
   * order; a second run undoes what the first one could not.
   */
  reverse(): void
  /** Deletes the file after a push that wrote nothing. */
  discard(): void
}

/** Limits disk use, since each file holds whole documents. */
const mostKept = 20

/** The first line creates the file and deletes the oldest one of that service. Only the user can read it. */
export function openUndoFile(host: string, now: Date): UndoFile {
  const folder = join(recordsFolder(), 'pushes')
  const moment = now.toISOString().replaceAll(/[:.]/g, '-')
  const service = host.replaceAll(/[^\w.-]/g, '-')
  const path = join(folder, `${service}-${moment}.ndjson`)
  const ends: number[] = []
  let isThere = false
  return {
    path,
    get isThere() {
      return isThere
    },
    add(undo) {
      if (undo.length === 0) return
      appendLines(path, undo)
      ends.push(statSync(path).size)
      if (!isThere) prune(folder, service)
      isThere = true
    },
    reverse: () => reversePieces(path, ends),
    discard() {
      rmSync(path, { force: true })
      isThere = false
    },
  }
}

/** Deletes the oldest files; names end with the time, so they sort by it. */
function prune(folder: string, service: string): void {
  const own = readdirSync(folder).filter(
    (name) =>
      name.startsWith(`${service}-`) && /^\d{4}-\d\d-\d\dT[\d-]+Z\.ndjson$/.test(name.slice(service.length + 1)),
  )
  for (const name of own.sort().slice(0, -mostKept)) rmSync(join(folder, name), { force: true })
}
