/** Functions for the permission word `member:<path>`. Contract 13.9. */
import { sql } from '../port.js'

export const memberships = {
  number: 102,
  name: 'memberships',
  statements: [
    // Whether a link whose schema names this target may lead to a document of that collection.
    sql`create function links_to(target text, id uuid, name text) returns boolean language sql immutable parallel safe as $$
      select case
        when target is null then true
        when target ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then id::text = target
        else name = target and target <> 'users'
      end
    $$`,
    // A function, because planning these subqueries would slow down lists in projects without such a permission.
    sql`create function is_member(words jsonb, fields jsonb, rules json, of_project text, member text) returns boolean
      language plpgsql stable parallel safe as $$
      declare
        path text[];
      begin
        for path in
          select string_to_array(substr(listed.word, 8), '.')
          from jsonb_array_elements_text(words) as listed (word)
          where starts_with(listed.word, 'member:')
        loop
          if cardinality(path) = 1 and (fields -> path[1]) @> to_jsonb(member) then
            return true;
          end if;
          if cardinality(path) = 2 and jsonb_typeof(fields -> path[1]) = 'string' and exists (
            select from svc.documents m
            join svc.collections c on c.id = m.collection_id
            where m.id = (svc.record_ids(fields -> path[1]))[1] and c.project_id = of_project
              and (m.data -> path[2]) @> to_jsonb(member)
              and svc.links_to(rules #>> array[path[1], 'to'], c.id, c.name)
          ) then
            return true;
          end if;
        end loop;
        return false;
      end
    $$`,
  ],
}
