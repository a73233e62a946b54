/** Statements as messages of PostgreSQL's extended protocol, and its answers as rows. */
import { serialize } from 'pg-protocol'
import type {
  BackendMessage,
  DataRowMessage,
  DatabaseError as ErrorResponse,
  RowDescriptionMessage,
} from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import { DatabaseError, mostResultBytes, resultTooLarge, type Sql } from '../port.js'
import { readerOf, writeValue } from '../values.js'

/** Statements that share one transaction, and what becomes of them. */
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
  /** Whether it is certain that the server has it: a job that used it has succeeded, and none has failed since. */
  isCertain: boolean
}

/** Prepared statements a session keeps; the one that was unused for longest makes room. */
const mostPrepared = 400

/** One session: which statements it has prepared. A new connection starts a new one. */
export interface Session {
  /** The bytes that carry out a job, ending in one Sync. */
  write(job: Job): Buffer
  /** Takes bytes of the answer to the jobs written, in their order; calls back as each ends. */
  read(bytes: Buffer, ended: (job: Job) => void): void
  /** The jobs written and not ended, the one at work first. */
  readonly unfinished: readonly Job[]
}

interface Answering {
  readonly job: Job
  readonly plans: readonly Prepared[]
  readonly results: Row[][]
  columns: readonly Column[] | undefined
  rows: Row[]
  /** What its rows take. */
  bytes: number
  error: DatabaseError | undefined
}

const sync = serialize.sync()
const execute = serialize.execute({})
const describePortal = serialize.describe({ type: 'P', name: '' })

export function openSession(): Session {
  const prepared = new Map<string, Prepared>()
  const answering: Answering[] = []
  const parser = new Parser()
  let names = 0

  function plan(statement: Sql, parts: Buffer[]): Prepared {
    const { text } = statement
    if (statement.planned === 'each time') {
      parts.push(serialize.parse({ text }))
      return { name: '', columns: undefined, isCertain: false }
    }
    let known = prepared.get(text)
    if (known) {
      prepared.delete(text)
    } else {
      if (prepared.size >= mostPrepared) forgetOldest(parts)
      known = { name: `s${names++}`, columns: undefined, isCertain: false }
    }
    prepared.set(text, known)
    // What an earlier job of the same message was to prepare is not there if that job fails.
    if (!known.isCertain) {
      parts.push(serialize.close({ type: 'S', name: known.name }), serialize.parse({ name: known.name, text }))
    }
    return known
  }

  function forgetOldest(parts: Buffer[]) {
    for (const [text, { name }] of prepared) {
      prepared.delete(text)
      parts.push(serialize.close({ type: 'S', name }))
      return
    }
  }

  function take(message: BackendMessage, ended: (job: Job) => void) {
    const current = answering[0]
    if (!current) return
    switch (message.name) {
      case 'rowDescription':
        current.columns = (message as RowDescriptionMessage).fields.map((field) => ({
          name: field.name,
          read: readerOf(field.dataTypeID),
        }))
        break
      case 'dataRow':
        current.columns ??= current.plans[current.results.length]?.columns ?? []
        current.bytes += message.length
        if (current.bytes > mostResultBytes) current.rows = []
        else current.rows.push(readRow(current.columns, (message as DataRowMessage).fields))
        break
      case 'commandComplete':
      case 'emptyQuery':
        endStatement(current)
        break
      case 'error':
        current.error = errorOf(message as unknown as ErrorResponse)
        break
      case 'readyForQuery':
        answering.shift()
        // What was to be prepared after a failure never was; it is prepared again when it is next used.
        for (const plan of current.plans) plan.isCertain = current.error === undefined
        if (current.error) current.job.reject(current.error)
        else if (current.bytes > mostResultBytes) current.job.reject(resultTooLarge())
        else current.job.resolve(current.results)
        ended(current.job)
    }
  }

  function endStatement(current: Answering) {
    const at = current.results.push(current.rows) - 1
    const known = current.plans[at]
    if (known) known.columns ??= current.columns ?? []
    current.rows = []
    current.columns = undefined
  }

  return {
    write(job) {
      const parts: Buffer[] = []
      const plans = job.statements.map((statement) => {
        const known = plan(statement, parts)
        parts.push(serialize.bind({ statement: known.name, values: statement.values.map(writeValue) }))
        if (known.columns === undefined) parts.push(describePortal)
        parts.push(execute)
        return known
      })
      parts.push(sync)
      answering.push({ job, plans, results: [], columns: undefined, rows: [], bytes: 0, error: undefined })
      return parts.length === 1 ? sync : Buffer.concat(parts)
    },
    read(bytes, ended) {
      parser.parse(bytes, (message) => take(message, ended))
    },
    get unfinished() {
      return answering.map(({ job }) => job)
    },
  }
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

function errorOf({ message, code, constraint }: ErrorResponse): DatabaseError {
  return new DatabaseError(message, code ?? 'XX000', { constraint })
}
