/** What owners did. It belongs to no state of a project: snapshots do not hold it, and nothing that empties a project does either. */
import { sql } from '../../port.js'
import type { Migration } from '../migration.js'

export const audit: Migration = {
  number: 19,
  name: 'audit log of operations of owners',
  statements: [
    // In the order of their positions, whatever a clock was moved to. An entry outlives its project.
    sql`create table audit_entries (
      position bigint generated always as identity primary key,
      project_id text not null,
      operation text not null,
      actor jsonb not null,
      subject jsonb not null,
      request_id text,
      recorded_at timestamptz(3) not null
    )`,
    sql`create index audit_entries_of_project on audit_entries (project_id, position)`,
    sql`create index audit_entries_by_time on audit_entries (recorded_at)`,
  ],
}
