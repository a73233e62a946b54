/** What takes a push back, as `svc docs batch` reads it: a hosted service has no snapshots. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { recordsFolder } from '../target/records-folder.js'
import { appendLines, reversePieces } from './line-file.js'
import type { Undo } from './operations.js'

export interface UndoFile {
  readonly path: string
  /** Whether something was written to it. */
  readonly isThere: boolean
  add(undo: readonly Undo[]): void
  /**
   * Puts what was written last first: a document that was created and then changed is what it was at first before it is deleted.
   * A push that was killed leaves the order of its writes; what is refused then, a second run takes back.
   */
  reverse(): void
  /** Of a push that wrote nothing. */
  discard(): void
}

/** Each holds whole documents, which are not kept for ever. */
const mostKept = 20

/** A file that is created by the first line, in the place of the oldest of that service. Only the user may read it: it holds documents. */
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

/** Names end with the moment, so that their order is that of time. */
function prune(folder: string, service: string): void {
  const own = readdirSync(folder).filter(
    (name) =>
      name.startsWith(`${service}-`) && /^\d{4}-\d\d-\d\dT[\d-]+Z\.ndjson$/.test(name.slice(service.length + 1)),
  )
  for (const name of own.sort().slice(0, -mostKept)) rmSync(join(folder, name), { force: true })
}
