/** A backend whose database or storage fails, for one request. */
import { type Database, DatabaseError, type Sql } from '../../database/port.js'
import { type FileStore, StorageError } from '../../ports/files/port.js'
import type { Backend } from '../context.js'

export type FailingPart = 'storage' | 'disk-full' | 'database'

export function failingBackend(backend: Backend, part: FailingPart): Backend {
  if (part === 'storage') return { ...backend, files: storageThat(backend.files, () => unreachable()) }
  if (part === 'database') return { ...backend, db: databaseThat(backend.db, () => down()) }
  return { ...backend, db: fullDatabase(backend.db), files: fullStorage(backend.files) }
}

function down(): never {
  throw new DatabaseError('A simulated fault: the database does not answer.', '08006')
}

function unreachable(): never {
  throw new StorageError('unreachable', 'A simulated fault: the storage does not answer.')
}

/** @param check is asked before any statement is run, also in the middle of a transaction, which is rolled back */
function databaseThat(db: Database, check: (statements: readonly Sql[]) => void): Database {
  return {
    ...db,
    async query(statement) {
      check([statement])
      return db.query(statement)
    },
    async batch(statements) {
      check(statements)
      return db.batch(statements)
    },
    transaction: (work) => db.transaction((tx) => work(databaseThat(tx, check))),
  }
}

function fullDatabase(db: Database): Database {
  return databaseThat(db, (statements) => {
    if (!statements.some(({ takesSpace }) => takesSpace)) return
    throw new DatabaseError('A simulated fault: the disk is full.', '53100')
  })
}

function storageThat(files: FileStore, fail: () => never): FileStore {
  return {
    ...files,
    write: async () => fail(),
    read: async () => fail(),
    has: async () => fail(),
  }
}

/** The first bytes come in, as they do where a disk runs full. */
function fullStorage(files: FileStore): FileStore {
  return {
    ...files,
    write: (id, bytes) => files.write(id, untilFull(bytes)),
  }
}

async function* untilFull(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    yield chunk
    throw new StorageError('full', 'A simulated fault: the disk is full.')
  }
}
