/** Kinds of database errors, the same for every engine. */
export type DatabaseErrorKind =
  /** The connection, the server or the thread is gone or going. */
  | 'unavailable'
  /** The connection broke during a commit, or during a single statement that writes. */
  | 'unknown outcome'
  /** Rolled back because of another transaction: a retry may succeed. */
  | 'conflict'
  /** Timed out waiting for a lock. */
  | 'locked'
  /** Memory, connections or another resource. */
  | 'out of resources'
  | 'disk full'
  /** Refused before the disk is full. */
  | 'disk nearly full'
  | 'timeout'
  | 'result too large'
  /** A unique index contains the value already; `constraint` names it. */
  | 'taken'
  /** A referenced row is gone; `constraint` names the foreign key. */
  | 'gone'
  /** A table or schema does not exist. */
  | 'missing table'
  /** A table, schema or extension exists already. */
  | 'exists'
  /** A page of a table or index cannot be read. */
  | 'damaged'
  /** Any other error is a fault of the statement. */
  | 'faulty statement'

/** By SQLSTATE, or by its first two or three characters. Both engines use these codes. */
const kinds: Readonly<Record<string, DatabaseErrorKind>> = {
  '08': 'unavailable',
  '08007': 'unknown outcome',
  '23503': 'gone',
  '23505': 'taken',
  // From a standby, such as a former primary.
  '25006': 'unavailable',
  // Prepared statements that a pooler has mixed up. From then on, none is prepared.
  '26000': 'conflict',
  '42P05': 'conflict',
  // The password has changed, or the role may no longer log in.
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
