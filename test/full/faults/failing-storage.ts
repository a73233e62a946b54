/** A database and a file store that fail at a chosen call of a request, as in SQLite's tests of I/O errors. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Storage } from '../../../emulator/assembly/storage.js'
import { type Database, DatabaseError } from '../../../emulator/database/port.js'
import { type FileStore, StorageError } from '../../../emulator/ports/files/port.js'

export interface Fault {
  readonly part: 'database' | 'files'
  /** The call that fails, counted from 1. */
  readonly at: number
  /** `before`: it is not executed. `after`: it is, and its answer is lost. */
  readonly moment: 'before' | 'after'
  /** Whether all calls after it fail as well, in the background too. */
  readonly isPersistent: boolean
}

let fault: Fault | undefined
let calls = 0
let isMet = false
let isOutcomeLost = false

/** From now on, the calls of requests are counted, and the chosen one fails. */
export function arm(chosen: Fault): void {
  fault = chosen
  calls = 0
  isMet = false
  isOutcomeLost = false
}

/** Everything works again. `isMet` says whether the chosen call came, `isOutcomeLost` whether it may have been executed. */
export function disarm(): { isMet: boolean; isOutcomeLost: boolean } {
  fault = undefined
  return { isMet, isOutcomeLost }
}

/** All calls of a request, also indirect ones, run in its context; the first background rounds do not. */
const requests = new AsyncLocalStorage<true>()
subscribe('http.server.request.start', () => requests.enterWith(true))

/** Whether and how the next call of a part fails. */
function next(part: Fault['part']): Fault['moment'] | undefined {
  if (fault?.part !== part) return undefined
  if (isMet) return fault.isPersistent ? fault.moment : undefined
  if (requests.getStore() !== true || ++calls < fault.at) return undefined
  isMet = true
  return fault.moment
}

let opened: Storage | undefined

/** The storage that `openStorage` opened last, without faults. */
export function sound(): Storage {
  if (!opened) throw new Error('No storage was opened.')
  return opened
}

export function failing(storage: Storage): Storage {
  opened = storage
  const { db, files, dataDir } = storage
  return { db: failingDatabase(db), files: failingFiles(files), dataDir }
}

const disconnected = () => new DatabaseError('The database was made to fail.', '08006')

function unknownOutcome(): DatabaseError {
  isOutcomeLost = true
  return new DatabaseError('The database was made to fail in a commit.', '08007')
}

function failingDatabase(db: Database): Database {
  return {
    ...db,
    query: (statement) => met('database', () => db.query(statement), disconnected),
    batch: (statements) => met('database', () => db.batch(statements), disconnected),
    async transaction(work) {
      let lost: Fault['moment'] | undefined
      const result = await db.transaction(async (tx) => {
        const failures: unknown[] = []
        const result = await work(failingTransaction(tx, (error) => failures.push(error)))
        // All of it is rolled back with the statement that failed, even if the work has caught that.
        if (failures.length > 0) throw failures[0]
        lost = next('database')
        if (lost === 'before') throw unknownOutcome()
        return result
      })
      if (lost === 'after') throw unknownOutcome()
      return result
    },
  }
}

function failingTransaction(tx: Database, onFailure: (error: unknown) => void): Database {
  const watched = <Result>(work: () => Promise<Result>) => {
    const result = met('database', work, disconnected)
    result.catch(onFailure)
    return result
  }
  const wrapped: Database = {
    ...tx,
    query: (statement) => watched(() => tx.query(statement)),
    batch: (statements) => watched(() => tx.batch(statements)),
    transaction: (work) => work(wrapped),
  }
  return wrapped
}

function failingFiles(files: FileStore): FileStore {
  const unreachable = () => new StorageError('unreachable', 'The file store was made to fail.')
  return {
    ...files,
    write: (id, bytes) => met('files', () => files.write(id, bytes), unreachable),
    read: (id, range) =>
      met(
        'files',
        () => files.read(id, range),
        unreachable,
        (bytes) => bytes?.destroy(),
      ),
    remove: (ids) => (ids.length === 0 ? files.remove(ids) : met('files', () => files.remove(ids), unreachable)),
    has: (id) => met('files', () => files.has(id), unreachable),
  }
}

/** `discard` closes a result that the caller never receives. */
async function met<Result>(
  part: Fault['part'],
  work: () => Promise<Result>,
  failure: () => Error,
  discard: (result: Result) => unknown = () => undefined,
): Promise<Result> {
  const moment = next(part)
  if (moment === 'before') throw failure()
  const result = await work()
  if (moment !== 'after') return result
  isOutcomeLost = true
  discard(result)
  throw failure()
}
