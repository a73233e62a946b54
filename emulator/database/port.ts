/** The port to the database, and the `sql` tag. */

import { sizes } from '../../client/protocol/model/limits.js'
import { type DatabaseErrorKind, errorKind } from './sql-states.js'

export type { DatabaseErrorKind }

/** The last version of svc-toolkit that reads databases and snapshots from before the first migration. */
export const lastReaderOfOlder = '0.1.0'

/** The types of parameters. Arrays become PostgreSQL text arrays; pass JSON as text with `::jsonb`. */
export type SqlValue = string | number | boolean | null | readonly string[]

/**
 * Limits the rows of one job, so that none fills the memory. It is larger than any answer, because stored data may
 * contain spaces that the answer omits. More is `result too large`, which fails the transaction.
 */
export const maxResultBytes = 1.5 * sizes.maxAnswerBytes

/**
 * `each time`: plans for the actual values, if the best plan depends on them. `once, of many`: the text contains names,
 * so there are many variants and few are kept. Default: `once`.
 */
export type Planned = 'once' | 'once, of many' | 'each time'

/** Limits the prepared statements of each connection. A long one takes 200 KB with its plan. */
export const maxPrepared = { once: 400, 'once, of many': 50 } as const satisfies Partial<Record<Planned, number>>

export interface Sql {
  readonly text: string
  readonly values: readonly SqlValue[]
  readonly planned?: Planned
  /** For maintenance: the statement may take minutes. */
  readonly patient?: boolean
  /** Takes more space than it frees, so it is refused when the disk is nearly full. */
  readonly takesSpace?: boolean
}

/** Describes what an engine supports. Check these flags, never the engine's name. */
export interface Capabilities {
  /** Builds indexes while other statements run. Otherwise a build blocks all of them. */
  readonly supportsConcurrentIndexes: boolean
  /** Removes dead rows and collects statistics in the background. */
  readonly vacuumsItself: boolean
  /** Writes its pages in the background, and deletes the log that they replace. */
  readonly checkpointsItself: boolean
  /** Commits survive a power cut. */
  readonly isDurable: boolean
  /** Transactions run at the same time, so a statement has to lock the rows that it relies on. */
  readonly runsTransactionsTogether: boolean
  /**
   * When changes get their numbers. `when written` makes each write of a project wait for earlier commits, which costs
   * nothing where transactions run one after the other.
   */
  readonly numbersChanges: 'when written' | 'after commit'
  /** The server cancels a statement that takes too long. Only its sender gets the error. */
  readonly endsStatements: boolean
}

/**
 * Returns columns as boolean, number (int, float, and bigint within the safe range), `null`, or text. `jsonb` stays
 * text; `timestamptz` is ISO 8601 UTC with milliseconds.
 */
export interface Database {
  readonly capabilities: Capabilities
  /** Runs one prepared statement in its own transaction. */
  query<Row>(statement: Sql): Promise<Row[]>
  /** Runs several statements in one transaction, sent together; all of them or none. */
  batch(statements: readonly Sql[]): Promise<unknown[][]>
  /**
   * Runs an interactive transaction. It holds a connection (PGlite has only one), so keep it short. It fails with its
   * first failed statement, even if `work` catches the error. Retried on serialization failures and deadlocks.
   */
  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T>
  /** Omitted inside transactions. */
  connections?(): Connections
  close(): Promise<void>
}

export interface Connections {
  readonly open: number
  readonly idle: number
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number
}

class Fragment implements Sql {
  constructor(
    readonly parts: readonly string[],
    readonly inputs: readonly (SqlValue | Fragment)[],
    readonly planned: Planned = 'once',
    readonly isWriting = false,
  ) {}

  /** True if any part takes space. */
  get takesSpace(): boolean {
    return this.isWriting || this.inputs.some((input) => input instanceof Fragment && input.takesSpace)
  }

  get text(): string {
    return this.written().text
  }

  get values(): readonly SqlValue[] {
    return this.written().values
  }

  #written: { text: string; values: SqlValue[] } | undefined

  private written() {
    if (this.#written) return this.#written
    const values: SqlValue[] = []
    const text = write(this, values)
    this.#written = { text, values }
    return this.#written
  }
}

function write(fragment: Fragment, values: SqlValue[]): string {
  let text = fragment.parts[0] ?? ''
  fragment.inputs.forEach((input, at) => {
    text += input instanceof Fragment ? write(input, values) : `$${values.push(input)}`
    text += fragment.parts[at + 1] ?? ''
  })
  return text
}

export type { Fragment }

/** Turns values into parameters, and inserts nested fragments as text. */
export function sql(parts: TemplateStringsArray, ...inputs: (SqlValue | Fragment)[]): Fragment {
  return new Fragment(parts, inputs)
}

/** Inserts a whole number into the text, so that a plan that is made once can use it. */
export function literal(value: number): Fragment {
  return new Fragment([String(Math.trunc(value))], [])
}

/** Inserts the name of a table or column that is created at run time. */
export function identifier(name: string): Fragment {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new Error('Not a plain name.')
  return new Fragment([`"${name}"`], [])
}

/** Inserts any name, for example a document field as a column of a query. */
export function quotedName(name: string): Fragment {
  return new Fragment([`"${name.replaceAll('"', '""')}"`], [])
}

/** Inserts untrusted text, which has to be checked before it runs. */
export function givenText(text: string): Fragment {
  return new Fragment([text], [])
}

/** Joins fragments with a fixed text. */
export function joinSql(fragments: readonly Fragment[], between: string): Fragment {
  return new Fragment(['', ...fragments.slice(1).map(() => between), ''], fragments)
}

/** Marks a statement as taking space. */
export function writing({ parts, inputs, planned }: Fragment): Fragment {
  return new Fragment(parts, inputs, planned, true)
}

/** Marks a statement as freeing more space than it takes. */
export function makingRoom({ text, values }: Fragment): Sql {
  return { text, values, takesSpace: false }
}

/** Marks all statements of a database as freeing more space together than they take. */
export function makingRoomIn(db: Database): Database {
  const asOne = ({ text, values, planned = 'once', patient = false }: Sql): Sql => ({
    ...{ text, values, planned, patient, takesSpace: false },
  })
  return {
    ...db,
    query: (statement) => db.query(asOne(statement)),
    batch: (statements) => db.batch(statements.map(asOne)),
    transaction: (work) => db.transaction((tx) => work(makingRoomIn(tx))),
  }
}

/** Plans the statement for its values each time it runs. */
export function plannedEachTime(fragment: Fragment): Fragment {
  return new Fragment(fragment.parts, fragment.inputs, 'each time', fragment.isWriting)
}

/**
 * Inserts some of the values (texts only) as literals. A plan that is made once then knows them, and can use partial
 * indexes whose condition they meet.
 */
export function naming({ parts, inputs, isWriting }: Fragment, isNamed: (value: SqlValue) => boolean): Fragment {
  const named = inputs.map((input) => {
    if (input instanceof Fragment) return naming(input, isNamed)
    return isNamed(input) ? new Fragment([textLiteral(input)], []) : input
  })
  return new Fragment(parts, named, 'once, of many', isWriting)
}

/** Quotes any text as a literal, however the session reads backslashes. */
export function textLiteral(value: SqlValue | undefined): string {
  if (Array.isArray(value)) return `array[${value.map(textLiteral).join(', ')}]`
  if (typeof value !== 'string' || value.includes('\0')) throw new Error('Only texts become literals.')
  return ` E'${value.replaceAll(/['\\]/g, '$&$&')}'`
}

export const nothing = sql``

interface DatabaseErrorExtras {
  readonly kind?: DatabaseErrorKind
  readonly constraint?: string | undefined
  readonly detail?: string | undefined
  readonly position?: number | undefined
}

/** The error of every failed statement. Check `kind`; `sqlState` is PostgreSQL's code, for the log. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly kind: DatabaseErrorKind
  /** The violated index or constraint. */
  readonly constraint: string | undefined
  /** The violating key, as text in the language of the server. */
  readonly detail: string | undefined
  /** Position in the text of the statement, in characters from 1. */
  readonly position: number | undefined

  constructor(
    message: string,
    readonly sqlState: string,
    { kind = errorKind(sqlState), constraint, detail, position }: DatabaseErrorExtras = {},
  ) {
    super(message)
    this.kind = kind
    this.constraint = constraint
    this.detail = detail
    this.position = position
  }
}

/** The rows of a statement took more than `maxResultBytes`. */
export function resultTooLarge(): DatabaseError {
  return new DatabaseError('The rows of a statement took too much memory.', '54000', { kind: 'result too large' })
}
