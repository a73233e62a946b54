/** Points in time in texts of documents. Contract 4.2. */
import { sql } from '../port.js'

/** Parses a text as `instantOf` in client/protocol/model/instant.ts does. Returns null if that returns undefined. */
export const instants = [
  sql`create function svc.instant(value text) returns timestamptz language plpgsql immutable strict parallel safe as $body$
      declare
        part text[] := regexp_match(
          value,
          '^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.]([0-9]+))?)?'
            || '(?:[Zz]|([+ -])([0-9]{2}):?([0-9]{2})?)?)?)?)?$');
        year int := part[1];
        month int := coalesce(part[2], '1');
        day int := coalesce(part[3], '1');
        hour int := coalesce(part[4], '0');
        minute int := coalesce(part[5], '0');
        second int := coalesce(part[6], '0');
        zone_hours int := coalesce(part[9], '0');
        zone_minutes int := coalesce(part[10], '0');
        zone interval;
        days int;
        moment timestamp;
      begin
        if part is null or year = 0 or month not between 1 and 12 or hour > 23 or minute > 59 or second > 59
          or zone_hours > 23 or zone_minutes > 59 then
          return null;
        end if;
        days := case
          when month in (4, 6, 9, 11) then 30
          when month <> 2 then 31
          when year % 4 = 0 and (year % 100 <> 0 or year % 400 = 0) then 29
          else 28
        end;
        if day not between 1 and days then
          return null;
        end if;
        zone := make_interval(hours => zone_hours, mins => zone_minutes);
        moment := make_timestamp(year, month, day, hour, minute, second)
          + interval '1 microsecond' * rpad(left(coalesce(part[7], '0'), 6), 6, '0')::int
          + case when part[8] = '-' then zone else - zone end;
        if moment < timestamp '0001-01-01' or moment >= timestamp '10000-01-01' then
          return null;
        end if;
        return moment at time zone 'UTC';
      end
    $body$`,
]
