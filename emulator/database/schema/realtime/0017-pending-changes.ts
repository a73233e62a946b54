/** Changes that are committed and have no number yet, where transactions run beside one another. */
import { sql } from '../../port.js'
import type { Migration } from '../migration.js'

/**
 * A writer leaves its changes here and locks nothing that another one needs. Whoever reads changes gives those that are committed
 * their numbers first, and counts documents with them: `store/realtime/numbering.ts`.
 */
export const pendingChanges: Migration = {
  number: 17,
  name: 'changes that wait for their numbers',
  statements: [
    // A position is drawn while its writer holds the document: of two changes of one document, the later has the greater.
    sql`create table pending_changes (
      project_id text not null,
      position bigint generated always as identity,
      kind text not null,
      collection_id uuid not null,
      document_id uuid,
      version integer,
      data jsonb,
      before jsonb,
      before_updated_at timestamptz(3),
      recorded_at timestamptz(3) not null,
      primary key (project_id, position)
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
      autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000)`,
    // What removes a collection changes a column of a unique index, so it waits for those who hold the key, as writers do. What
    // counts its documents changes none, and waits for nobody.
    sql`create unique index document_counts_open on document_counts (collection_id, is_removed)`,
    // One question for all of it, so that no process holds the project's row while it is busy with something else. Null where
    // another transaction holds it for longer than the patience.
    sql`create function number_changes(of_project text, most integer, patience_milliseconds integer) returns integer
      language plpgsql as $$
      declare
        until timestamptz := clock_timestamp() + patience_milliseconds * interval '1 millisecond';
        found_changes integer;
      begin
        loop
          perform from svc.sequences where project_id = of_project for update skip locked;
          exit when found;
          if not exists (select from svc.sequences where project_id = of_project) then
            return 0;
          end if;
          if clock_timestamp() > until then
            return null;
          end if;
          perform pg_sleep(0.002);
        end loop;
        with taken as (
          delete from svc.pending_changes
          where project_id = of_project and position in (
            select position from svc.pending_changes where project_id = of_project order by position limit most
          )
          returning position, kind, collection_id, document_id, version, data, before, before_updated_at, recorded_at
        ), numbered as (
          insert into svc.changes (project_id, seq, kind, collection_id, document_id, version, data, before,
            before_updated_at, recorded_at)
          select of_project, s.last_seq + row_number() over (order by t.position), t.kind, t.collection_id, t.document_id,
            t.version, t.data, t.before, t.before_updated_at, t.recorded_at
          from svc.sequences s, taken t
          where s.project_id = of_project
        ), counted as (
          update svc.document_counts c
          set documents = c.documents + a.added
          from (
            select collection_id, count(*) filter (where kind = 'created') - count(*) filter (where kind = 'deleted') as added
            from taken
            group by collection_id
          ) a
          where c.collection_id = a.collection_id and a.added <> 0
        ), found as (
          select count(*)::integer as changes from taken
        ), drawn as (
          update svc.sequences set last_seq = last_seq + found.changes from found
          where project_id = of_project and found.changes > 0
        )
        select changes into found_changes from found;
        return found_changes;
      end
    $$`,
  ],
}
