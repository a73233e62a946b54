import { statfs } from 'node:fs/promises'
import { reservedBytes } from './pglite/folder-place.js'
import { type Database, DatabaseError, type Sql } from './port.js'

/** How old a look at the disk may be. */
const freshMilliseconds = 1_000

/**
 * Refuses what takes space while little is left, since PGlite does not survive a full disk; reads go on, those that lock rows too,
 * and so does what frees space. All statements share one look at the disk, in transactions as well.
 */
export function guardDisk(db: Database, folder: string, leastBytes = reservedBytes): Database {
  return guarded(db, openLook(folder, leastBytes))
}

/** Whether the disk was nearly full when it was looked at last; it is looked at now and then, and no statement waits for it. */
function openLook(folder: string, leastBytes: number): () => boolean {
  let lookedAt = -freshMilliseconds
  let isFull = false
  return () => {
    if (performance.now() - lookedAt >= freshMilliseconds) {
      lookedAt = performance.now()
      statfs(folder).then(
        ({ bavail, bsize }) => {
          isFull = bavail * bsize < leastBytes
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
