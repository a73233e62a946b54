/** Queries of the console that have to be refused. */

const ends = /^The query (took over (5 seconds|512 MB)|crashed its database|is nested too deeply)/
/** Whatever a query makes of its role, no more than its copy is there. */
const asOwner = "select set_config('role', 'postgres', false)"

/** Attacks, and the messages that they are refused with. */
export const attacks: Readonly<Record<string, readonly (readonly [query: string, refusal: RegExp])[]>> = {
  'tables of the service': [
    ['select * from documents', /^No collection "documents"/],
    ['select * from svc.documents', /^Permission denied/],
    ['select * from user_secrets', /^No collection "user_secrets"/],
    ['select * from svc.user_secrets', /^Permission denied/],
    ['select * from loaded.posts', /^Permission denied/],
    ['select * from pg_authid', /^Permission denied/],
    ['table documents', /^No collection/],
    ['with documents as (select * from documents) select * from documents', /^No collection "documents"/],
    ['select password_hash from users', /does not exist/],
    ['select token_secret from users', /does not exist/],
    ['select project_id from users', /does not exist/],
    ["select query_to_xml('select * from svc.user_secrets', true, true, '')", /^Permission denied/],
  ],
  'files and the server': [
    ["select pg_read_file('/etc/passwd')", /^Permission denied/],
    ["select pg_ls_dir('.')", /^Permission denied/],
    ["select lo_import('/etc/passwd')", /^Permission denied/],
    [
      `${asOwner}, query_to_xml('select pg_read_file(''/etc/hostname'')', true, true, '')`,
      /^Could not open file "\/etc\/hostname"/,
    ],
    ["select current_setting('data_directory')", /^Permission denied/],
    ["select dblink('', 'select 1')", /does not exist/],
    ['select $1', /cannot have parameters/],
  ],
  'changes and locks': [
    ['insert into posts values (1)', /^Only SELECT is allowed/],
    ['delete from svc.documents', /^Only SELECT is allowed/],
    ['drop table svc.documents', /^Only SELECT is allowed/],
    ["copy (select 1) to program 'id'", /^Only SELECT is allowed/],
    ['select 1 into svc.stolen', /^Only SELECT is allowed/],
    ['with gone as (delete from posts returning *) select * from gone', /^Only SELECT is allowed/],
    [`${asOwner}, query_to_xml('delete from loaded.posts', true, true, '')`, /^DELETE is not allowed/],
    ["select lo_from_bytea(0, 'x')", /^Queries cannot change data/],
    ["select set_config('transaction_read_only', 'off', false)", /must be set before any query/],
    ['select * from posts for update', /^Permission denied/],
    ['set transaction read write', /^Only SELECT is allowed/],
    ['reset all', /^Only SELECT is allowed/],
    ['commit; drop schema svc cascade', /^Only SELECT is allowed/],
    ['select 1; delete from svc.documents', /^Send one statement at a time/],
    ['select 1) as answer; delete from svc.documents; --', /^Syntax error/],
    ['select 1) as answer, (select 2', /^Syntax error/],
    ['select 1 /* ', /^Unterminated/],
    ["select 'x", /^Unterminated/],
    ['do $$ begin perform 1; end $$', /^Only SELECT is allowed/],
    ['explain analyze select 1', /^Only SELECT is allowed/],
    ['listen svc', /^Only SELECT is allowed/],
  ],
  'what costs too much': [
    ['select pg_sleep(100)', /^The query took over 5 seconds/],
    ["select repeat('x', 1000000000)", /^The query took over 512 MB/],
    ["select string_agg(repeat('9', 100000), ',') from generate_series(1, 30000)", /^The query took over 512 MB/],
    ['select count(power(9.9::numeric, i)) from generate_series(1, 100000) i, posts', ends],
    [
      'select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b',
      /^The query took over 5 seconds/,
    ],
    [`select ${'not '.repeat(4_500)}true`, ends],
    [`select 1${'+1'.repeat(9_000)}`, ends],
    [`select '${'x'.repeat(20_000)}'`, /more than 20,000 characters/],
    ['', /is empty/],
    ['   -- nothing', /^Only select|at end of input/],
  ],
}
