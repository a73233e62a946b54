/** Orders values of documents in databases that do not sort texts by code point. Contract 4.1 and 10.13. */
import { sql } from '../port.js'

/** Whether the database sorts texts by code point. */
export const sortsByCodePoint = sql`exists (
  select from pg_database
  where datname = current_database()
    and (datlocprovider = 'b' or datlocprovider = 'c' and datcollate ~* '^(C|POSIX)([.]|$)')
)`

/**
 * Defines `in_order`. If the database sorts by code point, it returns the value itself: PostgreSQL inlines the call, so
 * that it costs nothing and uses indexes. Otherwise it returns bytes in the same order, after a byte for the type.
 * Texts are UTF-8 with a zero at the end, numbers are doubles with comparable bits. Arrays and objects are their size
 * and their contents.
 */
export const createInOrder = sql`do $order$
  begin
    if ${sortsByCodePoint} then
      create function svc.in_order(value jsonb) returns jsonb language sql immutable parallel safe return value;
      return;
    end if;
    create function svc.in_order(value jsonb) returns bytea language plpgsql immutable strict parallel safe as $body$
      declare
        bits bigint;
      begin
        case jsonb_typeof(value)
          when 'null' then return decode('01', 'hex');
          when 'string' then return decode('02', 'hex') || convert_to(value #>> '{}', 'UTF8') || decode('00', 'hex');
          when 'number' then
            bits := ('x' || encode(float8send((value #>> '{}')::float8 + 0), 'hex'))::bit(64)::bigint;
            return decode('03', 'hex') || int8send(case when bits < 0 then ~bits else bits # (-9223372036854775808) end);
          when 'boolean' then return decode(case when value = 'true'::jsonb then '05' else '04' end, 'hex');
          when 'array' then
            return decode('06', 'hex') || int4send(jsonb_array_length(value)) || coalesce((
              select string_agg(svc.in_order(item), ''::bytea order by at)
              from jsonb_array_elements(value) with ordinality as items (item, at)
            ), ''::bytea);
          else
            return decode('07', 'hex') || coalesce((
              select int4send(count(*)::int)
                || string_agg(convert_to(key, 'UTF8') || decode('00', 'hex') || svc.in_order(member), ''::bytea order by at)
              from jsonb_each(value) with ordinality as members (key, member, at)
              having count(*) > 0
            ), int4send(0));
        end case;
      end
    $body$;
  end
$order$`

/**
 * Redefines the order after a dump was restored where texts sort differently. Drops the indexes that used the old
 * order.
 */
export const recreateOrder = [
  sql`do $again$
    declare
      made text;
    begin
      for made in delete from svc.field_indexes where kind in ('asc', 'desc') returning name loop
        execute format('drop index if exists svc.%I', made);
      end loop;
      drop function svc.in_order(jsonb);
    end
  $again$`,
  createInOrder,
]
