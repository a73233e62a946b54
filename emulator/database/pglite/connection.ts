/** Opens, configures, watches and closes PGlite's thread. */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { type Sql, sql } from '../port.js'
import { sessionSettings } from '../postgres/session-settings.js'
import { type Job, openWireSession, type WireSession } from './protocol.js'
import { headerBytes, openThread, type Thread, type ThreadSource } from './thread.js'

export interface DataSource extends Omit<ThreadSource, 'template'> {
  /** Reads the archive for an empty database, each time that one is opened. */
  readonly template?: () => Promise<Uint8Array<ArrayBuffer>>
  /** Whether the thread keeps the process alive. Default: true. */
  readonly holdsProcess?: boolean
  /** Whether a dead thread stays dead, because its data can be loaded again. */
  readonly isThrowAway?: boolean
}

/** One connection to the worker, from its start to its end. */
export interface WorkerConnection extends Thread {
  readonly session: WireSession
  /** Messages of the worker that have arrived but are not read yet, in order. */
  readonly unread: Uint8Array[]
  /** Bytes read in this turn of the event loop. */
  readBytes: number
  /** ReadyForQuery messages read so far. */
  arrived: number
  /** Messages of the worker read so far. */
  received: number
  /** Bytes of the next message that were read before it was posted. */
  taken: number
}

/**
 * Limits the bytes read in one turn of the event loop to some milliseconds of work. Many messages can arrive in a long
 * turn.
 */
const maxBytesAtOnce = 1_048_576

/** Positions of the counts in the shared memory. */
const [produced, held, posted] = [0, 1, 2]

const settings = {
  ...sessionSettings,
  work_mem: '16MB',
  // All pages cost the same in memory. The default would sort pages of changes that an index returns in order.
  random_page_cost: '1',
}
/** Uses one statement, because each would be planned separately while the command waits. */
const configure = sql`
  select set_config(name, value, false)
  from unnest(${Object.keys(settings)}::text[], ${Object.values(settings)}::text[]) as setting (name, value)`

export async function connect(source: DataSource): Promise<WorkerConnection> {
  const { worker, shared } = openThread({ ...source, template: await source.template?.() })
  const session = openWireSession()
  const counts = { readBytes: 0, arrived: 0, received: 0, taken: 0 }
  const connection: WorkerConnection = { worker, session, shared, unread: [], ...counts }
  try {
    await Promise.race([open(connection), failure(worker)])
    return connection
  } catch (error) {
    // Ends the thread, because it would keep its directory and the process.
    await worker.terminate()
    throw error
  }
}

/** Waits for the thread's first message: the directory is open. */
async function open(connection: WorkerConnection): Promise<void> {
  await once(connection.worker, 'message')
  await answered(connection, configure)
}

/** Runs a statement with few rows on a connection that nothing else uses yet. */
export function askAlone(connection: WorkerConnection, statement: Sql): Promise<unknown[]> {
  return Promise.race([answered(connection, statement), failure(connection.worker)])
}

async function answered(connection: WorkerConnection, statement: Sql): Promise<unknown[]> {
  const { worker, session } = connection
  const [rows = []] = await new Promise<unknown[][]>((resolve, reject) => {
    const bytes = session.write({ statements: [statement], resolve, reject })
    worker.once('message', (answer: Uint8Array) => receiveAnswer(connection, answer))
    worker.postMessage(new Uint8Array(bytes))
  })
  return rows
}

function failure(worker: Worker): Promise<never> {
  return new Promise((_resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`PGlite stopped with code ${code} while it opened.`)))
  })
}

/** Reads a message, after those before it, as soon as this turn of the event loop has room. */
export function receiveAnswer(connection: WorkerConnection, answer: Uint8Array, onRead: () => void = () => undefined) {
  connection.unread.push(answer)
  readInTurn(connection, onRead)
}

function readInTurn(connection: WorkerConnection, onRead: () => void) {
  const { unread } = connection
  if (unread.length > 0 && connection.readBytes === 0) {
    setImmediate(() => {
      connection.readBytes = 0
      readInTurn(connection, onRead)
    })
  }
  while (connection.readBytes < maxBytesAtOnce) {
    const answer = unread.shift()
    if (!answer) return
    connection.readBytes += answer.length
    readAnswer(connection, answer)
    onRead()
  }
}

function readAnswer(connection: WorkerConnection, answer: Uint8Array) {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).subarray(connection.taken)
  connection.received++
  connection.taken = 0
  read(connection, bytes)
}

/** Reads the results that the worker has produced but not posted: those before a statement that takes too long. */
export function takeHeld(connection: WorkerConnection) {
  for (const answer of connection.unread.splice(0)) readAnswer(connection, answer)
  const counts = new Int32Array(connection.shared, 0, headerBytes / 4)
  const posts = Atomics.load(counts, posted)
  const length = Atomics.load(counts, held)
  const bytes = Buffer.from(new Uint8Array(connection.shared, headerBytes).slice(connection.taken, length))
  // Leaves results that were posted in between: they arrive as a message.
  const isNew = posts === connection.received && posts === Atomics.load(counts, posted)
  if (!isNew || length <= connection.taken) return
  connection.taken = length
  read(connection, bytes)
}

/** Returns the job that the worker is running. Those before it are done, even if their results have not arrived. */
export function jobAtWork({ session, shared, arrived }: WorkerConnection): Job | undefined {
  return session.unfinished[Atomics.load(new Int32Array(shared, 0, headerBytes / 4), produced) - arrived]
}

function read(connection: WorkerConnection, bytes: Buffer) {
  connection.session.read(bytes, () => {
    connection.arrived++
  })
}

export async function disconnect(worker: Worker): Promise<void> {
  if (hasEnded(worker)) return
  const closed = new Promise<void>((resolve) => {
    worker.on('message', (message) => message === 'closed' && resolve())
    worker.once('exit', () => resolve())
  })
  worker.postMessage('close')
  await closed
  await worker.terminate()
}

function hasEnded({ threadId }: Worker): boolean {
  return threadId === -1
}
