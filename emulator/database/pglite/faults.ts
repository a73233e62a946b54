/** Errors of the embedded database with the codes of PostgreSQL, so that one table in the core handles both. */
import { DatabaseError } from '../port.js'

export type Reason = () => DatabaseError

export const tookTooLong: Reason = () => new DatabaseError('The statement took too long and was stopped.', '57014')
export const outOfMemory: Reason = () => new DatabaseError('The statement took too much memory.', '53200')
export const broken: Reason = () => new DatabaseError('The thread of the database ended.', '08006')
export const unknownOutcome: Reason = () => new DatabaseError('The thread ended while it committed.', '08007')
export const closed: Reason = () => new DatabaseError('The database is closed.', '57P03')
