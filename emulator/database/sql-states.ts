/** What a failure of the database is, whichever engine says it. */
export type DatabaseErrorKind =
  /** The connection, the server or the thread is gone, or going. */
  | 'unavailable'
  /** The connection broke while it committed, or under a single statement that writes. */
  | 'unknown outcome'
  /** Rolled back for another transaction's sake: it can be done again. */
  | 'conflict'
  /** A lock could not be had in time. */
  | 'locked'
  /** Memory, connections or another resource. */
  | 'out of resources'
  | 'disk full'
  /** Refused before the disk is full. */
  | 'disk nearly full'
  | 'timeout'
  | 'result too large'
  /** A unique index has the value already; `constraint` names it. */
  | 'taken'
  /** A row that it refers to is gone; `constraint` names the foreign key. */
  | 'gone'
  /** A table or a schema is not there. */
  | 'missing table'
  /** A table, a schema or an extension is there already. */
  | 'exists'
  /** A page of a table or an index cannot be read. */
  | 'damaged'
  /** Anything else is a fault of the statement. */
  | 'faulty statement'

/** By SQLSTATE, or by its class of two or three characters. Both engines speak in these. */
const kinds: Readonly<Record<string, DatabaseErrorKind>> = {
  '08': 'unavailable',
  '08007': 'unknown outcome',
  '23503': 'gone',
  '23505': 'taken',
  // From a standby, such as a former primary.
  '25006': 'unavailable',
  // Prepared statements that a pooler has mixed up. None is prepared any more.
  '26000': 'conflict',
  '42P05': 'conflict',
  // Another password, or a role that may not log in any more.
  '28': 'unavailable',
  '3F000': 'missing table',
  '40001': 'conflict',
  '40P01': 'conflict',
  '42P01': 'missing table',
  '42P06': 'exists',
  '42P07': 'exists',
  '42710': 'exists',
  '53': 'out of resources',
  '53100': 'disk full',
  '55P03': 'locked',
  '57014': 'timeout',
  '57P': 'unavailable',
  XX001: 'damaged',
  XX002: 'damaged',
}

export function errorKind(sqlState: string): DatabaseErrorKind {
  return kinds[sqlState] ?? kinds[sqlState.slice(0, 3)] ?? kinds[sqlState.slice(0, 2)] ?? 'faulty statement'
}
