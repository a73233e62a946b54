/** Who created a document by a user token, kept for the permission `owner`. Nobody knows it of documents that are there already. */
import { sql } from '../../port.js'
import type { Migration } from '../migration.js'

/** A change knows whose document it was, also once the document is gone; who had it before, only where a transfer made the change. */
export const creators: Migration = {
  number: 18,
  name: 'who created a document',
  statements: [
    sql`alter table documents add column created_by uuid`,
    sql`alter table changes add column created_by uuid, add column before_created_by uuid`,
    sql`alter table pending_changes add column created_by uuid, add column before_created_by uuid`,
    // As before, with the two columns.
    sql`create or replace function number_changes(of_project text, most integer, patience_milliseconds integer) returns integer
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
          returning position, kind, collection_id, document_id, version, data, before, before_updated_at, created_by,
            before_created_by, recorded_at
        ), numbered as (
          insert into svc.changes (project_id, seq, kind, collection_id, document_id, version, data, before,
            before_updated_at, created_by, before_created_by, recorded_at)
          select of_project, s.last_seq + row_number() over (order by t.position), t.kind, t.collection_id, t.document_id,
            t.version, t.data, t.before, t.before_updated_at, t.created_by, t.before_created_by, t.recorded_at
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
