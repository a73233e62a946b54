/** What takes a push back, as `svc docs batch` reads it: a hosted service has no snapshots. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { configFolder } from '../target/profiles.js'
import type { Undo } from './operations.js'

export interface UndoFile {
  readonly path: string
  /** Whether something was written to it. */
  readonly isThere: boolean
  add(undo: readonly Undo[]): void
}

/** A file that is created by the first line. Only the user may read it: it holds documents. */
export function openUndoFile(host: string, now: Date): UndoFile {
  const folder = join(configFolder(), 'pushes')
  const moment = now.toISOString().replaceAll(/[:.]/g, '-')
  const path = join(folder, `${host.replaceAll(/[^\w.-]/g, '-')}-${moment}.ndjson`)
  let isThere = false
  return {
    path,
    get isThere() {
      return isThere
    },
    add(undo) {
      if (undo.length === 0) return
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      appendFileSync(path, undo.map((one) => `${JSON.stringify(one)}\n`).join(''), { mode: 0o600 })
      isThere = true
    },
  }
}
