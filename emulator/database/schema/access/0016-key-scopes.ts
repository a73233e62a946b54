/** What keys are called, what they are good for and until when. A key that is there already is good for all that its kind may do. */
import { sql } from '../../port.js'
import type { Migration } from '../migration.js'

export const keyScopes: Migration = {
  number: 16,
  name: 'names, scopes and expiry of keys',
  statements: [
    sql`alter table project_keys
      add column name text,
      add column scopes jsonb,
      add column expires_at timestamptz(3),
      add column last_used_at timestamptz(3)`,
  ],
}
