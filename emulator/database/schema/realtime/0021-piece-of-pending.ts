/** Which pending changes get their numbers at once is found once, whatever the planner believes of the table. */
import { sql } from '../../port.js'
import type { Migration } from '../migration.js'

/**
 * `pending_changes` is empty most of the time, and so it is whenever it is analyzed. For a table of one row the planner joins
 * `position in (select …)` by a loop that runs the subquery once for each row, and keeps that plan for the connection: after
 * 30,000 changes in a row, nothing got a number any more. An array is built once, and the index is read in order.
 */
export const pieceOfPending: Migration = {
  number: 21,
  name: 'a piece of pending changes is found once',
  statements: [
    // As before, but for the array.
    sql`create or replace function number_changes(of_project text, most integer, patience_milliseconds integer) returns integer
      language plpgsql set enable_seqscan = off as $$
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
          where project_id = of_project and position = any (array(
            select position from svc.pending_changes where project_id = of_project order by position limit most
          ))
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
