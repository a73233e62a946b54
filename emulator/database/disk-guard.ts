import { statfs } from 'node:fs/promises'
import { SvcError } from '../../client/model/errors.js'
import type { Database, Sql } from './database.js'
import { reservedBytes } from './folder-place.js'

/** How old a look at the disk may be. */
const freshMilliseconds = 1_000

/**
 * Refuses writes while little space is left, since PGlite does not survive a full disk; reads go on, and so does what makes
 * room.
 */
export function guardDisk(db: Database, folder: string, leastBytes = reservedBytes): Database {
  let lookedAt = -freshMilliseconds
  let isFull = false

  function look() {
    if (performance.now() - lookedAt < freshMilliseconds) return
    lookedAt = performance.now()
    statfs(folder).then(
      ({ bavail, bsize }) => {
        isFull = bavail * bsize < leastBytes
      },
      () => undefined,
    )
  }

  function check(statements: readonly Sql[]) {
    look()
    if (isFull && statements.some(isWrite)) {
      throw new SvcError('UNAVAILABLE', 'The disk is nearly full. Free some space.', [], { retryAfterSeconds: 5 })
    }
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
    transaction: (work) => db.transaction((tx) => work(guardDisk(tx, folder, leastBytes))),
  }
}

function isWrite({ text, makesRoom = false }: Sql): boolean {
  return !makesRoom && /\b(insert|update|create)\b/.test(text)
}
