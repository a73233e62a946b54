/** When a document was last written before the change that is recorded: filters look at its times, too. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const formerTimes: Migration = {
  number: 11,
  name: 'former times',
  statements: [sql`alter table changes add column before_updated_at timestamptz(3)`],
}
