/** Which files are listed to whom, and how many of them there are. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

/**
 * All files of an audience are listed to the same callers: those of a collection's documents, those of a user, and, under the
 * id of zeros, those without an owner. A file without an audience waits for its bytes to be removed. Each audience has
 * its count, kept by triggers since a file also loses its owner by a foreign key.
 */
export const fileAudiences: Migration = {
  number: 8,
  name: 'who files are listed to',
  statements: [
    sql`alter table files add column audience_id uuid generated always as (
      case
        when stays then '00000000-0000-0000-0000-000000000000'::uuid
        when document_id is not null then collection_id
        when user_id is not null then user_id
      end
    ) stored`,
    sql`create index files_of_audiences on files (project_id, audience_id, id) where audience_id is not null`,
    sql`create table file_counts (
      project_id text not null references projects on delete cascade,
      audience_id uuid not null,
      files bigint not null,
      primary key (project_id, audience_id)
    ) with (fillfactor = 10)`,
    sql`insert into file_counts (project_id, audience_id, files)
      select project_id, audience_id, count(*) from files where audience_id is not null group by project_id, audience_id`,
    sql`create function count_files() returns trigger language plpgsql as $$
      begin
        if tg_op <> 'INSERT' then
          update svc.file_counts c set files = c.files - gone.files
          from (
            select project_id, audience_id, count(*) as files from old_files
            where audience_id is not null
            group by project_id, audience_id
          ) as gone
          where c.project_id = gone.project_id and c.audience_id = gone.audience_id;
        end if;
        if tg_op <> 'DELETE' then
          insert into svc.file_counts as c (project_id, audience_id, files)
          select project_id, audience_id, count(*) from new_files
          where audience_id is not null
          group by project_id, audience_id
          order by project_id, audience_id
          on conflict (project_id, audience_id) do update set files = c.files + excluded.files;
        end if;
        if tg_op <> 'INSERT' then
          delete from svc.file_counts c using old_files o
          where c.project_id = o.project_id and c.audience_id = o.audience_id and c.files = 0;
        end if;
        return null;
      end
    $$`,
    sql`create trigger count_inserted after insert on files
      referencing new table as new_files for each statement execute function count_files()`,
    sql`create trigger count_updated after update on files
      referencing old table as old_files new table as new_files for each statement execute function count_files()`,
    sql`create trigger count_deleted after delete on files
      referencing old table as old_files for each statement execute function count_files()`,
  ],
}
