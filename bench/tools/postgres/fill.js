/** A project of any size in PostgreSQL, in the very rows that the service writes: by requests, ten million documents take hours. */

/**
 * @typedef {import('pg').Client} Client
 * @typedef {{ project: string, collection: string, authors: string[], size: number }} Filling
 */

/** Changes that the service keeps, whatever their age. */
export const keptChanges = 100_000
const step = 500_000

/** `rare` has 1,000 values, `group` has 50, `amount` is anything from 0 to 1. @param {number} number @param {string} author */
export function documentOf(number, author) {
  return {
    title: `Post number ${number}`,
    ...{ rare: number % 1_000, group: number % 50, amount: 0.5, status: 'published' },
    ...{ author, text: 'x'.repeat(160) },
  }
}

// An id carries the moment of its creation: a document a second until a minute before $7, so that what was written before the
// filling is newer than all of them.
const documents = `insert into svc.documents (id, collection_id, data, created_at, updated_at)
  select id, $1::uuid, jsonb_build_object(
    'title', 'Post number ' || n, 'rare', n % 1000, 'group', n % 50, 'amount', random(), 'status', 'published',
    'author', ($5::text[])[1 + n % $6::int], 'text', repeat(md5(n::text), 5)
  ), uuid_extract_timestamp(id), uuid_extract_timestamp(id)
  from (
    select n, uuidv7(make_interval(secs => n - $4::int - 60) + ($7::timestamptz - now())) as id
    from generate_series($2::int, $3::int) as n
  ) as fresh`
const changes = `with newest as (
    select id, collection_id, data, created_at, row_number() over (order by id) + $3::bigint as seq
    from (
      select id, collection_id, data, created_at from svc.documents
      where collection_id = $2::uuid and created_at < $5::timestamptz - interval '30 seconds'
      order by id desc
      limit $4::int
    ) as d
  )
  insert into svc.changes (project_id, seq, kind, collection_id, document_id, version, data, recorded_at)
  select $1, seq, 'created', collection_id, id, 1, data, created_at from newest`

/**
 * Documents, their count, and as many changes as the service keeps. The index over all data is made at the end, which takes a
 * tenth of the time. No other client may have the database open.
 *
 * @param {Client} client @param {Filling} filling
 */
export async function fillDocuments(client, { project, collection, authors, size }) {
  const at = new Date()
  const index = "select pg_get_indexdef('svc.documents_data'::regclass) as definition"
  const { definition } = (await client.query(index)).rows[0]
  await client.query('drop index svc.documents_data')
  for (let first = 1; first <= size; first += step) {
    const last = Math.min(size, first + step - 1)
    await client.query(documents, [collection, first, last, size, authors, authors.length, at])
  }
  await client.query("set maintenance_work_mem = '1GB'")
  await client.query(definition)
  const { rows } = await client.query(
    `select s.last_seq, n.documents from svc.sequences s, svc.document_counts n
    where s.project_id = $1 and n.collection_id = $2`,
    [project, collection],
  )
  const before = Number(rows[0].last_seq)
  const kept = Math.min(size, keptChanges)
  await client.query(changes, [project, collection, before + size - kept, kept, at])
  const ofBoth = `from svc.changes where collection_id = '${collection}' order by seq`
  await requireAlike(client, `(select * ${ofBoth} limit 300) union all (select * ${ofBoth} desc limit 300)`)
  // None is missing between the oldest that is kept and the newest.
  if (size > kept) await client.query('delete from svc.changes where project_id = $1 and seq <= $2', [project, before])
  await client.query('update svc.sequences set last_seq = last_seq + $2 where project_id = $1', [project, size])
  const count = 'update svc.document_counts set documents = documents + $2 where collection_id = $1'
  await client.query(count, [collection, size])
}

/** Users who all have one password. @param {Client} client @param {{ project: string, size: number, hash: string }} filling */
export async function fillUsers(client, { project, size, hash }) {
  for (let first = 1; first <= size; first += step) {
    await client.query(
      `insert into svc.users (id, project_id, email, email_key, data, roles, email_verified, created_at, updated_at)
      select id, $1, email, email, jsonb_build_object('username', 'user ' || n, 'age', n % 90), '[]', false,
        uuid_extract_timestamp(id), uuid_extract_timestamp(id)
      from (
        select n, uuidv7(make_interval(secs => n - $4::int - 60)) as id, 'user.' || n || '@bench.example' as email
        from generate_series($2::int, $3::int) as n
      ) as fresh`,
      [project, first, Math.min(size, first + step - 1), size],
    )
  }
  const secrets = `insert into svc.user_secrets (user_id, password_hash)
    select id, $2 from svc.users where project_id = $1 on conflict do nothing`
  await client.query(secrets, [project, hash])
  await client.query('update svc.user_counts set users = users + $2 where project_id = $1', [project, size])
}

/** Rows of files without bytes, which belong to no document. @param {Client} client @param {{ project: string, size: number }} filling */
export async function fillFiles(client, { project, size }) {
  await client.query(
    `insert into svc.files (id, project_id, name, path, size, mime_type, stays, created_at)
    select id, $1, 'file ' || n || '.txt', 'folder ' || n % 100, 1000, 'text/plain', true, uuid_extract_timestamp(id)
    from (select n, uuidv7(make_interval(secs => n - $2::int - 60)) as id from generate_series(1, $2::int) as n) as fresh`,
    [project, size],
  )
  const totals = 'update svc.file_totals set files = files + $2, bytes = bytes + $2 * 1000 where project_id = $1'
  await client.query(totals, [project, size])
}

/**
 * Rows that the service has written and rows that were filled have the same columns, types and members.
 *
 * @param {Client} client @param {string} rows a selection of some of both
 */
export async function requireAlike(client, rows) {
  const { rows: shapes } = await client.query(`
    select (
      select jsonb_object_agg(key, case key
        when 'data' then (select jsonb_object_agg(key, jsonb_typeof(value)) from jsonb_each(value))
        else to_jsonb(jsonb_typeof(value))
      end)
      from jsonb_each(to_jsonb(rows))
    ) as shape, count(*) as rows
    from (${rows}) as rows
    group by shape`)
  if (shapes.length !== 1) throw new Error(`Rows are not alike: ${JSON.stringify(shapes)}`)
}
