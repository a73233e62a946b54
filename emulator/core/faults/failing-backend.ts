/** Wraps a backend so that its database or storage fails for one request. */
import { type Database, DatabaseError, type Sql } from '../../database/port.js'
import { type FileStore, StorageError } from '../../ports/files/port.js'
import type { Backend } from '../context.js'

export type FailingPart = 'storage' | 'disk-full' | 'database'

/** @param acts called before each failure; returns false once the fault is used up */
export function failingBackend(backend: Backend, part: FailingPart, acts: () => boolean): Backend {
  const { db, files } = backend
  if (part === 'storage') return { ...backend, files: storageThat(files, () => fail(acts, unreachable)) }
  if (part === 'database') return { ...backend, db: databaseThat(db, () => fail(acts, down)) }
  return { ...backend, db: fullDatabase(db, acts), files: fullStorage(files, acts) }
}

function fail(acts: () => boolean, error: () => Error): void {
  if (acts()) throw error()
}

const down = () => new DatabaseError('A simulated fault: the database does not respond.', '08006')
const unreachable = () => new StorageError('unreachable', 'A simulated fault: the storage does not respond.')
const fullTable = () => new DatabaseError('A simulated fault: the disk is full.', '53100')
const fullDisk = () => new StorageError('full', 'A simulated fault: the disk is full.')

/** @param check called before each statement, also inside transactions, which then roll back */
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

function fullDatabase(db: Database, acts: () => boolean): Database {
  return databaseThat(db, (statements) => {
    if (statements.some(({ takesSpace }) => takesSpace)) fail(acts, fullTable)
  })
}

function storageThat(files: FileStore, check: () => void): FileStore {
  return {
    ...files,
    async write(...asked) {
      check()
      return files.write(...asked)
    },
    async read(...asked) {
      check()
      return files.read(...asked)
    },
    async has(...asked) {
      check()
      return files.has(...asked)
    },
  }
}

/** Accepts the first bytes and then fails, like a disk that fills up. */
function fullStorage(files: FileStore, acts: () => boolean): FileStore {
  return {
    ...files,
    write: (id, bytes) => files.write(id, untilFull(bytes, acts)),
  }
}

async function* untilFull(bytes: AsyncIterable<Uint8Array>, acts: () => boolean): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    yield chunk
    fail(acts, fullDisk)
  }
}
