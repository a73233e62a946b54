/** The service on a PostgreSQL database with a project of any size, and the ids that its operations need. */
import bcrypt from 'bcryptjs'
import pg from 'pg'
import { startContender } from '../child.js'
import { documentOf, fillDocuments, fillFiles, fillUsers, requireAlike } from './fill.js'

export const password = 'Correct4Horse'
const authors = 1_000
/** Ids to get and to change, spread over the whole collection. */
const someIds = 2_000
/** Documents of the collection that are written over the wire. */
const wired = 200

/**
 * @typedef {{
 *   size: number, project: string, collection: string, path: string, ids: string[], turn: number, lastSeq: number, port: number, pid: number,
 *   headers: Record<string, string>,
 *   ask: (method: string, path: string, body?: unknown) => Promise<any>,
 *   control: (method: string, path: string, body?: unknown) => Promise<any>,
 *   client: import('pg').Client, givenUp: Set<unknown>, stop: () => Promise<void>,
 * }} Grown
 */

/** A service on a database, however it is filled. @param {string} url */
export async function startService(url) {
  const begunAt = performance.now()
  const service = await startContender('contenders/postgres-service.js', [url])
  const readyMilliseconds = performance.now() - begunAt
  const { apiKey, controlToken } = /** @type {{ apiKey: string, controlToken: string }} */ (await service.ask('keys'))
  const headers = { 'x-api-key': apiKey }
  const send = async (
    /** @type {string} */ method,
    /** @type {string} */ path,
    /** @type {unknown} */ body,
    /** @type {Record<string, string>} */ headers,
  ) => {
    /** @type {Record<string, string>} */
    const type = body instanceof FormData ? {} : { 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      method,
      headers: { ...headers, ...type },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  return {
    ...{ port: service.port, pid: service.pid, readyMilliseconds, headers, stop: service.stop },
    ask: (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body = undefined) =>
      send(method, path, body, headers),
    control: (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body = undefined) =>
      send(method, `/_svc/api${path}`, body, { 'svc-control-token': controlToken }),
  }
}

/**
 * A project with that many documents in one collection, and a tenth as many users and files.
 *
 * @param {string} url of a database, which is filled unless it was before @param {number} size @returns {Promise<Grown>}
 */
export async function startGrown(url, size) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("select to_regclass('svc.documents') is not null as is_filled")
  if (!rows[0].is_filled) await fill(url, client, size)
  const service = await startService(url)
  const { rows: found } = await client.query(
    `select c.id, c.project_id, s.last_seq from svc.collections c join svc.sequences s using (project_id) where c.name = 'posts'`,
  )
  const [{ id: collection, project_id: project, last_seq }] = found
  // Every n-th of them in the order of ids, which the index has.
  const ids = await client.query(
    `select id from (
      select id, row_number() over (order by id) as n from svc.documents where collection_id = $1
    ) as numbered
    where n % greatest($2::bigint / $3::bigint, 1) = 0 and n <= $2::bigint`,
    [collection, size, someIds],
  )
  return {
    ...{ size, project, collection, path: '/collections/posts', ids: shuffled(ids.rows.map(({ id }) => id)), turn: 0 },
    ...{ ...service, lastSeq: Number(last_seq), client, givenUp: new Set() },
    async stop() {
      await service.stop()
      await client.end()
    },
  }
}

/** @param {string} url @param {import('pg').Client} client @param {number} size */
async function fill(url, client, size) {
  const { project, collection, authors } = await writeSome(url, client)
  const tenth = Math.ceil(size / 10)
  await fillDocuments(client, { project, collection, authors, size: size - wired })
  await fillUsers(client, { project, size: tenth, hash: bcrypt.hashSync(password, 10) })
  await fillFiles(client, { project, size: tenth })
  for (const table of ['documents', 'users', 'files']) await requireAlike(client, bothEnds(table, project))
  // As autovacuum would, had it the time.
  await client.query('vacuum (analyze) svc.documents, svc.changes, svc.users, svc.files, svc.user_secrets')
}

/** The oldest rows and the newest: of documents, users and files, what was written over the wire is the newest. @param {string} table @param {string} project */
function bothEnds(table, project) {
  if (table === 'documents') {
    const of = `from svc.documents where collection_id = (select id from svc.collections where name = 'posts')`
    return `(select * ${of} order by id limit 300) union all (select * ${of} order by id desc limit 300)`
  }
  const of = `from svc.${table} where project_id = '${project}'`
  return `(select * ${of} order by id limit 300) union all (select * ${of} order by id desc limit 300)`
}

/** Rows that the service writes itself: filled rows are compared with them afterwards. @param {string} url @param {import('pg').Client} client */
async function writeSome(url, client) {
  const service = await startService(url)
  await service.ask('POST', '/collections', { name: 'authors' })
  await service.ask('POST', '/collections', { name: 'posts' })
  const documents = Array.from({ length: authors }, (_, at) => ({ name: `Author ${at}` }))
  const made = await service.ask('POST', '/collections/authors/batch', { documents })
  const ids = made.map((/** @type {{ id: string }} */ { id }) => id)
  const posts = Array.from({ length: wired }, (_, at) => documentOf(at, ids[at % ids.length]))
  await service.ask('POST', '/collections/posts/batch', { documents: posts })
  await service.ask('POST', '/auth-collections/signup', {
    ...{ email: 'first@bench.example', password },
    data: { username: 'first', age: 1 },
  })
  const form = new FormData()
  form.append('file', new Blob(['x'.repeat(1_000)], { type: 'text/plain' }), 'first.txt')
  await service.ask('POST', '/storage/upload?path=first', form)
  // The changes of these writes are numbered within a second.
  await until(async () => (await client.query('select from svc.pending_changes limit 1')).rowCount === 0)
  await service.stop()
  const { rows } = await client.query("select id, project_id from svc.collections where name = 'posts'")
  return { project: rows[0].project_id, collection: rows[0].id, authors: ids }
}

/** @param {() => Promise<boolean>} isSo */
async function until(isSo) {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** In an order independent of theirs. @param {string[]} ids */
function shuffled(ids) {
  return ids
    .map((id) => ({ id, by: id.slice(-12) }))
    .sort((one, other) => (one.by < other.by ? -1 : 1))
    .map(({ id }) => id)
}
