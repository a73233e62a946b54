/** The port to the database, and the tag that makes its statements. */

import { sizes } from '../../client/protocol/model/limits.js'
import { type DatabaseErrorKind, errorKind } from './sql-states.js'

export type { DatabaseErrorKind }

/** The last version of svc-toolkit that reads databases and snapshots from before the first migration. */
export const lastReaderOfOlder = '0.1.0'

/** What a statement's parameters may be. Arrays become PostgreSQL arrays of text; JSON goes in as text with `::jsonb`. */
export type SqlValue = string | number | boolean | null | readonly string[]

/**
 * What the rows of one job may take, so that none fills the memory: more than any answer, since data may come with spaces that
 * the answer leaves out. What takes more is `result too large`; a transaction fails with it.
 */
export const mostResultBytes = 1.5 * sizes.maxAnswerBytes

/**
 * `each time`: for its very values, for statements whose best plan depends on them. `once, of many`: its text names what it reads,
 * so there are many like it, of which few are kept. Default: `once`.
 */
export type Planned = 'once' | 'once, of many' | 'each time'

/** How many statements each connection keeps prepared. A long one, with its plan, takes 200 KB. */
export const mostPrepared = { once: 400, 'once, of many': 50 } as const satisfies Partial<Record<Planned, number>>

export interface Sql {
  readonly text: string
  readonly values: readonly SqlValue[]
  readonly planned?: Planned
  /** For maintenance: the statement may take minutes. */
  readonly patient?: boolean
  /** It takes more space than it frees, so it is refused where the disk is nearly full. */
  readonly takesSpace?: boolean
}

/** What an engine can do and does by itself. Code that depends on it reads it here, and never compares the engine's name. */
export interface Capabilities {
  /** Indexes are built while other statements run. Otherwise building one keeps all of them waiting. */
  readonly supportsConcurrentIndexes: boolean
  /** It removes dead rows and takes statistics without being asked. */
  readonly vacuumsItself: boolean
  /** It writes its pages out in time, and deletes the log that they replace. */
  readonly checkpointsItself: boolean
  /** What is committed outlives a power cut. */
  readonly isDurable: boolean
  /** Transactions run beside one another, so a row that all of them change makes each wait for the commit of those before it. */
  readonly runsWritersTogether: boolean
  /** A statement that takes too long is ended by the server, and fails only for its sender. */
  readonly endsStatements: boolean
}

/**
 * Values come back as: boolean, number (int, float, and bigint within the safe range), `null`, and text for all else;
 * `jsonb` stays text, `timestamptz` is ISO 8601 UTC with milliseconds.
 */
export interface Database {
  readonly capabilities: Capabilities
  /** One prepared statement, in a transaction of its own. */
  query<Row>(statement: Sql): Promise<Row[]>
  /** Several statements in one transaction, sent together; all of them or none. */
  batch(statements: readonly Sql[]): Promise<unknown[][]>
  /**
   * An interactive transaction. It holds a connection, on PGlite the only one: keep it short. It fails with its first statement
   * that fails, whatever `work` makes of that. Retried on serialization failures and deadlocks.
   */
  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T>
  /** How many connections there are, for an engine that has a pool of them. */
  connections?(): Connections
  close(): Promise<void>
}

export interface Connections {
  readonly open: number
  readonly idle: number
  /** Statements that wait for a connection. */
  readonly waiting: number
}

class Fragment implements Sql {
  constructor(
    readonly parts: readonly string[],
    readonly inputs: readonly (SqlValue | Fragment)[],
    readonly planned: Planned = 'once',
    readonly isWriting = false,
  ) {}

  /** A statement takes space as soon as a part of it does. */
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

/** A value becomes a parameter, a nested fragment becomes text. */
export function sql(parts: TemplateStringsArray, ...inputs: (SqlValue | Fragment)[]): Fragment {
  return new Fragment(parts, inputs)
}

/** A whole number as a part of the text, for what a plan that is made once should know. */
export function literal(value: number): Fragment {
  return new Fragment([String(Math.trunc(value))], [])
}

/** The name of a table or column as a part of the text, for what is made while the service runs. */
export function identifier(name: string): Fragment {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new Error('Not a plain name.')
  return new Fragment([`"${name}"`], [])
}

/** Any name as a part of the text, such as a field of documents as a column of one query. */
export function quotedName(name: string): Fragment {
  return new Fragment([`"${name.replaceAll('"', '""')}"`], [])
}

/** Untrusted text as a part of a statement, which has to be checked before it is carried out. */
export function givenText(text: string): Fragment {
  return new Fragment([text], [])
}

/** Fragments in a row, with a fixed text between them. */
export function joinSql(fragments: readonly Fragment[], between: string): Fragment {
  return new Fragment(['', ...fragments.slice(1).map(() => between), ''], fragments)
}

/** The same statement, which says that it writes what takes space. */
export function writing({ parts, inputs, planned }: Fragment): Fragment {
  return new Fragment(parts, inputs, planned, true)
}

/** The same statement, which writes, and frees more space than that takes. */
export function makingRoom({ text, values }: Fragment): Sql {
  return { text, values, takesSpace: false }
}

/** The same database, for statements that together free more space than they take. */
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

/** The same statement, planned for its values each time it runs. */
export function plannedEachTime(fragment: Fragment): Fragment {
  return new Fragment(fragment.parts, fragment.inputs, 'each time', fragment.isWriting)
}

/**
 * The same statement with some of its values in its text, all of them texts: a plan that is made once knows them, and so uses partial
 * indexes whose condition they meet.
 */
export function naming({ parts, inputs, isWriting }: Fragment, isNamed: (value: SqlValue) => boolean): Fragment {
  const named = inputs.map((input) => {
    if (input instanceof Fragment) return naming(input, isNamed)
    return isNamed(input) ? new Fragment([textLiteral(input)], []) : input
  })
  return new Fragment(parts, named, 'once, of many', isWriting)
}

/** Any text as one literal, whatever is in it and however the session reads backslashes. */
export function textLiteral(value: SqlValue | undefined): string {
  if (Array.isArray(value)) return `array[${value.map(textLiteral).join(', ')}]`
  if (typeof value !== 'string' || value.includes('\0')) throw new Error('Only texts become literals.')
  return ` E'${value.replaceAll(/['\\]/g, '$&$&')}'`
}

export const nothing = sql``

interface DatabaseErrorExtras {
  readonly kind?: DatabaseErrorKind
  readonly constraint?: string | undefined
  readonly position?: number | undefined
}

/** What every failed statement throws. Its kind says what that means; `sqlState` is PostgreSQL's, for the log. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly kind: DatabaseErrorKind
  /** The index or constraint that refused it. */
  readonly constraint: string | undefined
  /** Where in the text of the statement, in characters from 1. */
  readonly position: number | undefined

  constructor(
    message: string,
    readonly sqlState: string,
    { kind = errorKind(sqlState), constraint, position }: DatabaseErrorExtras = {},
  ) {
    super(message)
    this.kind = kind
    this.constraint = constraint
    this.position = position
  }
}

/** The rows of a statement took more than `mostResultBytes`. */
export function resultTooLarge(): DatabaseError {
  return new DatabaseError('The rows of a statement took too much memory.', '54000', { kind: 'result too large' })
}
