/** Attacks of one caller on the others. Attackers hold the public key, unless the name says otherwise. */
import { further } from './further.js'
import { ask, atOnce, connections, fill, gets, json, sockets, text } from './requests.js'

/** @typedef {import('./requests.js').Target} Target */

/** Path of the large document. */
let large = ''
let batch = ''

/** Prepares collections that attacks need, by name. @type {Record<string, (target: Target) => Promise<unknown>>} */
export const preparations = {
  posts: (target) => fill(target, 'posts', 1, () => ({}), 1),
  async large(target) {
    const items = Array.from({ length: 9_000 }, (_, at) => text(97, at))
    const [id] = await fill(target, 'large', 1, () => ({ items, n: 0 }), 1)
    large = `/collections/large/${id}`
  },
  // 10,000 documents, 54 MB in total.
  searched: (target) => fill(target, 'searched', 10_000, (at) => ({ n: at, body: text(5_400, at) }), 1_000),
  // Each group's value appears twice, so the groups of a field are 30 MB.
  grouped: (target) => fill(target, 'grouped', 10_000, (at) => ({ n: at, body: text(1_500, at) }), 1_000),
  // One page is 28 MB.
  pages: (target) => fill(target, 'pages', 100, (at) => ({ n: at, body: text(280_000, at) }), 20),
  async batches(target) {
    await fill(target, 'batches', 0, () => ({}), 1)
    batch = JSON.stringify({ documents: Array.from({ length: 1_000 }, (_, at) => ({ n: at, body: text(9_800, at) })) })
  },
  things: (target) =>
    fill(target, 'things', 10_000, (at) => ({ n: at, tags: [...Array(20).keys()], text: 'x'.repeat(300) }), 1_000),
  // 100 documents link to one of 280 KB.
  async linking(target) {
    const [whole] = await fill(target, 'linked', 1, () => ({ body: text(280_000, 1) }), 1)
    await fill(target, 'linking', 100, () => ({ whole }), 100)
  },
}

const subscribe = JSON.stringify({ type: 'subscribe', collection: 'posts' })
/** Squares the document's number 12 times. */
const tower = (/** @type {string} */ of) => {
  let query = `(select ${of} as x from things)`
  for (let n = 0; n < 12; n++) query = `(select x * x as x from ${query} s${n})`
  return query
}

/**
 * Attacks by their name in the table.
 *
 * @type {Record<string, { needs?: string, run: (target: Target) => Promise<unknown> }>}
 */
export const attacks = {
  '50,000 boundaries in a form': { needs: 'posts', run: (target) => boundaries(target, 50_000) },
  '800,000 boundaries in a form': { needs: 'posts', run: (target) => boundaries(target, 800_000) },
  '10 forms with long heads': { needs: 'posts', run: heads },
  '20 sockets, 2,000 subscriptions each': { needs: 'posts', run: (to) => sockets(to, 20, 2_000, () => subscribe) },
  '20 sockets, 2,000 nonsense messages each': { needs: 'posts', run: (to) => sockets(to, 20, 2_000, () => 'nonsense') },
  '50 sockets, 2,000 pings each': { needs: 'posts', run: (to) => sockets(to, 50, 2_000, () => '{"type":"ping"}') },
  '200 PATCHes of a document of 900 KB': {
    needs: 'large',
    run: ({ url, key }) =>
      atOnce(200, url + large, { method: 'PATCH', headers: { 'x-api-key': key, ...json }, body: '{"n":1}' }),
  },
  '200 GETs of a document of 900 KB': { needs: 'large', run: (target) => gets(target, 200, large) },
  '10 lists with 20 searches over 54 MB': {
    needs: 'searched',
    run: (target) => gets(target, 10, `/collections/searched?${searches(20)}`),
  },
  '10 answers with 10,000 groups of 1.5 KB': {
    needs: 'grouped',
    run: (target) => gets(target, 10, '/collections/grouped/query/documents/group-by?field=body'),
  },
  '10 pages of 28 MB': { needs: 'pages', run: (target) => gets(target, 10, '/collections/pages?limit=100') },
  '5 batches of 10 MB': {
    needs: 'batches',
    run: ({ url, key }) =>
      atOnce(5, `${url}/collections/batches/batch`, {
        method: 'POST',
        headers: { 'x-api-key': key, ...json },
        body: batch,
      }),
  },
  '2,000 creates with idempotency keys': {
    needs: 'posts',
    run: ({ url, key }) =>
      atOnce(2_000, `${url}/collections/posts`, (at) => ({
        method: 'POST',
        headers: { 'x-api-key': key, ...json, 'idempotency-key': String(at) },
        body: '{"n":1}',
      })),
  },
  '500 unread streams, 10 changes of 900 KB': { needs: 'large', run: unreadStreams },
  'SQL console: cross joins': {
    needs: 'things',
    run: inConsole('select count(a.text || b.text || c.text) from things a, things b, things c'),
  },
  'SQL console: elements of arrays': {
    needs: 'things',
    run: inConsole(
      `select count(*) from things t, ${['a', 'b', 'c'].map((name) => `jsonb_array_elements(t.tags) ${name}`)}`,
    ),
  },
  'SQL console: tower of numbers': {
    needs: 'things',
    run: inConsole(`select sum(length((x * x)::text)) from ${tower('(n + 9)::numeric')} t`),
  },
  'SQL console: long texts': {
    needs: 'things',
    run: inConsole(`select length(string_agg(x::text, ',')) from ${tower('(n + 99999)::numeric')} t`),
  },
  'openapi.json 3,000 times, no key': { run: ({ url }) => atOnce(3_000, `${url}/openapi.json`, {}, 50) },
  '3,000 control requests, no token': { run: ({ url }) => atOnce(3_000, `${url}/_svc/api/info`, {}, 50) },
  '2,000 invalid keys at once': {
    run: ({ url }) => atOnce(2_000, `${url}/collections`, (at) => ({ headers: { 'x-api-key': `svc_key_${at}` } })),
  },
  '1,000 tickets at once': {
    run: ({ url, key }) => atOnce(1_000, `${url}/realtime/tickets`, { method: 'POST', headers: { 'x-api-key': key } }),
  },
  '800 event streams': { needs: 'posts', run: streams },
  '10 bodies of 60,000 one-byte chunks': { needs: 'posts', run: (target) => chunks(target, 60_000) },
  '10 bodies of 900,000 one-byte chunks': { needs: 'posts', run: (target) => chunks(target, 900_000) },
  '10 bodies of 900,000 one-byte chunks, no key': {
    run: (target) => chunks({ ...target, key: 'wrong' }, 900_000),
  },
  ...further,
}

/** @param {number} count */
function searches(count) {
  return Array.from({ length: count }, (_, at) => `body__contains=no${at}where`).join('&')
}

const form = 'multipart/form-data; boundary=x'

/** @param {Target} target @param {number} lines */
function boundaries({ url, key }, lines) {
  const headers = { 'x-api-key': key, 'content-type': form }
  return atOnce(1, `${url}/collections/posts`, { method: 'POST', headers, body: `${'--x\r\n'.repeat(lines)}--x--\r\n` })
}

/** @param {Target} target */
function heads(target) {
  const head = `a: ${'b'.repeat(4_090)}\r\n`
  const parts = `--x\r\ncontent-disposition: form-data; name="a"\r\n${`${head.repeat(4)}--x\r\n`.repeat(1_000)}`
  return connections(target, 10, { 'content-type': form, 'content-length': parts.length + 1 }, parts)
}

/** @param {Target} target @param {number} bytes */
function chunks(target, bytes) {
  const body = `1\r\n"\r\n${'1\r\na\r\n'.repeat(bytes)}1\r\n"\r\n0\r\n\r\n`
  return connections(target, 10, { ...json, 'transfer-encoding': 'chunked' }, body)
}

/** @param {Target} target */
async function streams({ url, key }) {
  const end = new AbortController()
  const options = { headers: { 'x-api-key': key, accept: 'text/event-stream' }, signal: end.signal }
  const opened = Array.from({ length: 800 }, () => fetch(`${url}/realtime/sse/posts`, options))
  const statuses = (await Promise.all(opened)).map(({ status }) => status)
  end.abort()
  return Object.fromEntries(
    [...new Set(statuses)].map((one) => [one, statuses.filter((other) => other === one).length]),
  )
}

/** @param {Target} target */
async function unreadStreams({ url, key }) {
  const end = new AbortController()
  const headers = { 'x-api-key': key }
  const options = { headers: { ...headers, accept: 'text/event-stream' }, signal: end.signal }
  await Promise.all(Array.from({ length: 500 }, () => fetch(`${url}/realtime/sse/large`, options)))
  const change = { method: 'PATCH', headers: { ...headers, ...json }, body: '{"n":1}' }
  const statuses = await atOnce(10, url + large, change, 1)
  end.abort()
  return statuses
}

/** @param {string} query @returns {(target: Target) => Promise<unknown>} */
function inConsole(query) {
  return ({ project, ...target }) => ask(target, 'POST', `/_svc/api/projects/${project}/sql`, { query }).catch(String)
}
