/** Encodes statements as messages of PostgreSQL's extended protocol, and decodes the answers into rows. */
import { serialize } from 'pg-protocol'
import type {
  BackendMessage,
  DataRowMessage,
  DatabaseError as ErrorResponse,
  RowDescriptionMessage,
} from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import { DatabaseError, maxPrepared, maxResultBytes, resultTooLarge, type Sql } from '../port.js'
import { columnReader, writeValue } from '../values.js'

/** Statements that share one transaction, and its callbacks. */
export interface Job {
  readonly statements: readonly Sql[]
  resolve(rows: unknown[][]): void
  reject(error: unknown): void
}

type Row = Record<string, unknown>
type Column = { readonly name: string; readonly read: (text: string) => unknown }

interface Prepared {
  readonly name: string
  columns: readonly Column[] | undefined
  /** Whether the server has it for sure: a job that used it succeeded, and none has failed since. */
  isCertain: boolean
}

/** Tracks the prepared statements of one connection. A new connection starts a new session. */
export interface WireSession {
  /** Encodes a job, ending in one Sync. */
  write(job: Job): Buffer
  /** Reads bytes of the answers, in the order of the jobs. Calls back as each job ends. */
  read(bytes: Buffer, ended: (job: Job) => void): void
  /** The jobs that were written and have not ended, the running one first. */
  readonly unfinished: readonly Job[]
}

/** The library declares its errors as a different class from its messages. */
type ErrorMessage = BackendMessage &
  Partial<Pick<ErrorResponse, 'message' | 'code' | 'constraint' | 'detail' | 'position'>>

interface Answering {
  readonly job: Job
  readonly plans: readonly Prepared[]
  readonly results: Row[][]
  columns: readonly Column[] | undefined
  rows: Row[]
  /** The size of its rows. */
  bytes: number
  error: DatabaseError | undefined
}

const sync = serialize.sync()
const execute = serialize.execute({})
const describePortal = serialize.describe({ type: 'P', name: '' })

interface SessionState {
  /** By text, least recently used first. The first one is closed when there are too many. */
  readonly prepared: Readonly<Record<keyof typeof maxPrepared, Map<string, Prepared>>>
  /** The written jobs, in the order of their answers. */
  readonly answering: Answering[]
  /** Numbers the prepared statements. */
  names: number
}

export function openWireSession(): WireSession {
  const prepared = { once: new Map(), 'once, of many': new Map() }
  const state: SessionState = { prepared, answering: [], names: 0 }
  const parser = new Parser()
  return {
    write: (job) => writeJob(state, job),
    read(bytes, ended) {
      parser.parse(bytes, (message) => take(state, message, ended))
    },
    get unfinished() {
      return state.answering.map(({ job }) => job)
    },
  }
}

function writeJob(state: SessionState, job: Job): Buffer {
  const parts: Buffer[] = []
  const plans = job.statements.map((statement) => {
    const plan = prepare(state, statement, parts)
    parts.push(serialize.bind({ statement: plan.name, values: statement.values.map(writeValue) }))
    if (plan.columns === undefined) parts.push(describePortal)
    parts.push(execute)
    return plan
  })
  parts.push(sync)
  state.answering.push({ job, plans, results: [], columns: undefined, rows: [], bytes: 0, error: undefined })
  return parts.length === 1 ? sync : Buffer.concat(parts)
}

/** Returns the prepared statement for the text. Adds the messages that prepare it to `parts`, if needed. */
function prepare(state: SessionState, { text, planned = 'once' }: Sql, parts: Buffer[]): Prepared {
  if (planned === 'each time') {
    parts.push(serialize.parse({ text }))
    return { name: '', columns: undefined, isCertain: false }
  }
  const kept = state.prepared[planned]
  const known = kept.get(text)
  if (!known && kept.size >= maxPrepared[planned]) closeOldest(kept, parts)
  const plan = known ?? { name: `s${state.names++}`, columns: undefined, isCertain: false }
  kept.delete(text)
  kept.set(text, plan)
  // Prepares it again, because an earlier job in the same message that prepares it may fail.
  if (!plan.isCertain) {
    parts.push(serialize.close({ type: 'S', name: plan.name }), serialize.parse({ name: plan.name, text }))
  }
  return plan
}

function closeOldest(kept: Map<string, Prepared>, parts: Buffer[]): void {
  for (const [text, { name }] of kept) {
    kept.delete(text)
    parts.push(serialize.close({ type: 'S', name }))
    return
  }
}

/** Handles one message of the answer to the first job. */
function take({ answering }: SessionState, message: BackendMessage, ended: (job: Job) => void): void {
  const current = answering[0]
  if (!current) return
  switch (message.name) {
    case 'rowDescription':
      current.columns = readColumns(message as RowDescriptionMessage)
      break
    case 'dataRow':
      takeRow(current, message as DataRowMessage)
      break
    case 'commandComplete':
    case 'emptyQuery':
      endStatement(current)
      break
    case 'error':
      current.error = toDatabaseError(message as ErrorMessage)
      break
    case 'readyForQuery':
      answering.shift()
      endJob(current)
      ended(current.job)
  }
}

function readColumns({ fields }: RowDescriptionMessage): Column[] {
  return fields.map(({ name, dataTypeID }) => ({ name, read: columnReader(dataTypeID) }))
}

function takeRow(current: Answering, { length, fields }: DataRowMessage): void {
  current.columns ??= current.plans[current.results.length]?.columns ?? []
  current.bytes += length
  if (current.bytes > maxResultBytes) current.rows = []
  else current.rows.push(readRow(current.columns, fields))
}

function endStatement(current: Answering): void {
  const at = current.results.push(current.rows) - 1
  const plan = current.plans[at]
  if (plan) plan.columns ??= current.columns ?? []
  current.rows = []
  current.columns = undefined
}

function endJob({ job, plans, results, bytes, error }: Answering): void {
  // Statements after a failure were not prepared. They are prepared again on their next use.
  for (const plan of plans) plan.isCertain = error === undefined
  if (error) job.reject(error)
  else if (bytes > maxResultBytes) job.reject(resultTooLarge())
  else job.resolve(results)
}

function readRow(columns: readonly Column[], fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at]
    const text = fields[at]
    if (column) row[column.name] = text === null || text === undefined ? null : column.read(text)
  }
  return row
}

function toDatabaseError({ message = '', code, constraint, detail, position }: ErrorMessage): DatabaseError {
  return new DatabaseError(message, code ?? 'XX000', {
    constraint,
    detail,
    position: position ? Number(position) : undefined,
  })
}
