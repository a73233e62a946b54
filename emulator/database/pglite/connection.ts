/** The thread that PGlite runs in: opened, configured, listened to and ended. */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { type Sql, sql } from '../port.js'
import { sessionSettings } from '../postgres/session-settings.js'
import { type Job, openWireSession, type WireSession } from './protocol.js'
import { headerBytes, openThread, type Thread, type ThreadSource } from './thread.js'

export interface DataSource extends Omit<ThreadSource, 'template'> {
  /** Reads the archive that an empty database starts from, each time that one is opened. */
  readonly template?: () => Promise<Uint8Array<ArrayBuffer>>
  /** Whether its thread keeps the process going; left out, it does. */
  readonly holdsProcess?: boolean
  /** Whether a thread that has ended is left as it is, since what it held can be loaded again. */
  readonly isThrowAway?: boolean
}

/** One connection to the worker, from its start to its end. */
export interface WorkerConnection extends Thread {
  readonly session: WireSession
  /** Messages of the worker that have arrived and are not read yet, in their order. */
  readonly unread: Uint8Array[]
  /** Bytes that were read in this turn of the event loop. */
  readBytes: number
  /** ReadyForQuery messages that have been read. */
  arrived: number
  /** Messages of the worker that have been read. */
  received: number
  /** Bytes of its next message that were taken before it was posted. */
  taken: number
}

/** What is read in one turn of the event loop, some milliseconds of work: while one turn is long, any number of messages arrive. */
const mostBytesAtOnce = 1_048_576

/** Where the counts are in what the worker shares. */
const [produced, held, posted] = [0, 1, 2]

const settings = {
  ...sessionSettings,
  work_mem: '16MB',
  // All pages are as near, one after the other or not. Else pages of changes are put in order that an index has in order.
  random_page_cost: '1',
}
/** In one statement: each would be planned by itself, while the command waits. */
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
    // A thread that was opened and not configured would hold its directory, and the process.
    await worker.terminate()
    throw error
  }
}

/** Waits until the directory is open, which the thread says first of all. */
async function open(connection: WorkerConnection): Promise<void> {
  await once(connection.worker, 'message')
  await answered(connection, configure)
}

/** Asks a connection that nothing else is asked of yet, for a few rows. */
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

/** Reads a message as soon as this turn of the event loop has room for it, after those before it. */
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
  while (connection.readBytes < mostBytesAtOnce) {
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

/** Takes what the worker has finished and not posted: the answers to what was done before a statement that takes too long. */
export function takeHeld(connection: WorkerConnection) {
  for (const answer of connection.unread.splice(0)) readAnswer(connection, answer)
  const counts = new Int32Array(connection.shared, 0, headerBytes / 4)
  const posts = Atomics.load(counts, posted)
  const length = Atomics.load(counts, held)
  const bytes = Buffer.from(new Uint8Array(connection.shared, headerBytes).slice(connection.taken, length))
  // What was posted meanwhile comes by itself.
  const isNew = posts === connection.received && posts === Atomics.load(counts, posted)
  if (!isNew || length <= connection.taken) return
  connection.taken = length
  read(connection, bytes)
}

/** The job that the worker carries out: those before it are done, even if their answers have not arrived. */
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
