/** From which number on the changes of a project are kept. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

/** A reset draws a line: whoever knows a number before it has to begin anew. The changes before it are deleted afterwards. */
export const resets: Migration = {
  number: 12,
  name: 'resets',
  statements: [sql`alter table sequences add column kept_after bigint not null default 0`],
}
