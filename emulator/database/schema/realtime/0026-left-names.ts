/** Names that collections have had: another collection under one of them is another one to whoever was away meanwhile. */
import { sql } from '../../port.js'
import type { Migration } from '../migration.js'

export const leftNames: Migration = {
  number: 26,
  name: 'names that collections have left',
  statements: [
    sql`create table left_names (
      project_id text not null references projects on delete cascade,
      name text not null,
      primary key (project_id, name)
    )`,
  ],
}
