/** Small documents that are created together share the copies that their changes hold: `store/realtime/copies.ts`. */
import { sql } from '../../port.js'
import type { Migration } from '../migration.js'

export const sharedCopies: Migration = {
  number: 22,
  name: 'copies that changes share',
  statements: [
    // The copies of this change and of those right before it, and how many changes further the copies of this one are. Who has
    // its copy in `data` has neither.
    sql`alter table changes add column copies_ahead smallint, add column copies jsonb`,
  ],
}
