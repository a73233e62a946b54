import { statfs } from 'node:fs/promises'
import { reservedBytes } from './pglite/folder-place.js'
import { type Database, DatabaseError, type Sql } from './port.js'

/** Limits the age of a check. */
const freshMilliseconds = 1_000

/**
 * Refuses statements that take space when the disk is nearly full, because PGlite does not survive a full disk. Reads,
 * locking reads and statements that free space go on. All statements share one check of the disk.
 */
export function guardDisk(db: Database, folder: string, minFreeBytes = reservedBytes): Database {
  return guarded(db, openLook(folder, minFreeBytes))
}

/** Whether the disk was nearly full at the last check. Checks now and then in the background. */
function openLook(folder: string, minFreeBytes: number): () => boolean {
  let lookedAt = -freshMilliseconds
  let isFull = false
  return () => {
    if (performance.now() - lookedAt >= freshMilliseconds) {
      lookedAt = performance.now()
      statfs(folder).then(
        ({ bavail, bsize }) => {
          isFull = bavail * bsize < minFreeBytes
        },
        () => undefined,
      )
    }
    return isFull
  }
}

function guarded(db: Database, isFull: () => boolean): Database {
  function check(statements: readonly Sql[]) {
    if (!isFull() || !statements.some(({ takesSpace }) => takesSpace)) return
    throw new DatabaseError('The disk is nearly full.', '53100', { kind: 'disk nearly full' })
  }

  return {
    ...db,
    query: async (statement) => {
      check([statement])
      return db.query(statement)
    },
    batch: async (statements) => {
      check(statements)
      return db.batch(statements)
    },
    transaction: (work) => db.transaction((tx) => work(guarded(tx, isFull))),
  }
}
