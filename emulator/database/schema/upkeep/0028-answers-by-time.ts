/** Kept answers in the order in which they are over: each minute asks which those are, and a busy day leaves millions. */
import { sql } from '../../port.js'
import type { Migration } from '../migration.js'

export const answersByTime: Migration = {
  number: 28,
  name: 'answers of idempotency keys by their time',
  statements: [sql`create index idempotency_by_time on idempotency (created_at)`],
}
