/** Attacks that issue reports did not name: one for each kind of request that the others leave out. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { atOnce, connections, gets, json } from './requests.js'

/** @typedef {import('./requests.js').Target} Target */

/** @type {Record<string, { needs?: string, run: (target: Target) => Promise<unknown> }>} */
export const further = {
  '300 logins with a wrong password': {
    run: ({ url, key }) =>
      atOnce(300, `${url}/auth-collections/login`, (at) => ({
        method: 'POST',
        headers: { 'x-api-key': key, ...json },
        body: JSON.stringify({ email: `user-${at % 5}@example.com`, password: 'not the password' }),
      })),
  },
  '100 lists of 100 links to a document of 280 KB': {
    needs: 'linking',
    run: (target) => gets(target, 100, '/collections/linking?limit=100&populate=whole'),
  },
  '100 lists sorted by three fields, skipping 9,900': {
    needs: 'things',
    run: (target) => gets(target, 100, '/collections/things?limit=100&offset=9900&sort=text,-tags,n'),
  },
  '20 lists with 20 patterns of wildcards': {
    needs: 'things',
    run: (target) => gets(target, 20, `/collections/things?${patterns(20)}`),
  },
  '50 sums over 54 MB': {
    needs: 'searched',
    run: (target) => gets(target, 50, '/collections/searched/query/documents/aggregate?field=n&operation=sum'),
  },
  '10 exports of 54 MB that nobody reads': { needs: 'searched', run: unreadExports },
  '10 exports of 54 MB': { needs: 'searched', run: (target) => gets(target, 10, '/collections/searched/export') },
  '10 descriptions of 54 MB': {
    needs: 'searched',
    run: (target) => gets(target, 10, '/collections/searched/query/schema'),
  },
  '20 uploads of 9 MB': { needs: 'posts', run: uploads },
  '10 bodies of 9 MB of brackets': {
    needs: 'posts',
    run: (target) => bodies(target, 10, `{"a":${'['.repeat(4_500_000)}${']'.repeat(4_500_000)}}`),
  },
  '10 bodies of 9 MB of short names': {
    needs: 'posts',
    run: (target) =>
      bodies(target, 10, JSON.stringify(Object.fromEntries(Array.from({ length: 700_000 }, (_, at) => [at, at])))),
  },
  '20 deletions of 1,000 ids that do not exist': { needs: 'posts', run: deletions },
  '10 connections with 2,000 requests each at once': { needs: 'posts', run: pipelines },
  '10 sockets, a message of 50,000 fragments each': { run: fragments },
  '1,000 if-none-match headers of 12 KB': {
    needs: 'posts',
    run: ({ url, key }) =>
      atOnce(1_000, `${url}/collections/posts?limit=1`, {
        headers: { 'x-api-key': key, 'if-none-match': Array(3_000).fill('"a"').join() },
      }),
  },
}

/** @param {number} count */
function patterns(count) {
  return Array.from({ length: count }, (_, at) => `text__contains=${encodeURIComponent('x%_'.repeat(20))}${at}`).join(
    '&',
  )
}

/** @param {Target} target @param {number} times @param {string} body */
function bodies(target, times, body) {
  return connections(target, times, { ...json, 'content-length': body.length }, body)
}

/** @param {Target} target */
function uploads({ url, key }) {
  const file = new Blob([Buffer.alloc(9_000_000, 'x')])
  return atOnce(20, `${url}/collections/posts`, () => {
    const body = new FormData()
    body.set('file', file, 'large.txt')
    return { method: 'POST', headers: { 'x-api-key': key }, body }
  })
}

/** @param {Target} target */
function deletions({ url, key }) {
  const ids = Array.from({ length: 1_000 }, () => crypto.randomUUID())
  const body = JSON.stringify({ ids })
  const headers = { 'x-api-key': key, ...json }
  return atOnce(20, `${url}/collections/posts/batch-delete`, { method: 'POST', headers, body })
}

/** Holds the answers open without reading them. @param {Target} target */
async function unreadExports({ url, key }) {
  const sockets = Array.from({ length: 10 }, () => open(url))
  const request = `GET /collections/searched/export HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-api-key: ${key}\r\n\r\n`
  for (const socket of sockets) {
    socket.pause()
    socket.write(request)
  }
  await pause(3_000)
  for (const socket of sockets) socket.destroy()
  return { unread: sockets.length }
}

/** @param {Target} target */
async function pipelines({ url, key }) {
  const head = `GET /collections/posts?limit=1 HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-api-key: ${key}\r\n`
  const requests = `${`${head}\r\n`.repeat(1_999)}${head}connection: close\r\n\r\n`
  const closed = Array.from({ length: 10 }, async () => {
    const socket = open(url)
    let answers = 0
    socket.on('data', (data) => {
      answers += String(data).split('HTTP/1.1 ').length - 1
    })
    socket.write(requests)
    await closing(socket)
    return answers
  })
  return { answers: await Promise.all(closed) }
}

/** @param {Target} target */
async function fragments({ url, key }) {
  const closed = Array.from({ length: 10 }, async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime`)
    socket.on('error', () => undefined)
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'auth', token: key }))
    for (let at = 0; at < 50_000; at++) socket.send('a', { fin: false })
    socket.send('a')
    const giveUp = setTimeout(() => socket.terminate(), 10_000)
    const code = await closing(socket)
    clearTimeout(giveUp)
    return code
  })
  return { codes: await Promise.all(closed) }
}

/** Unlike `once`, does not fail where an error precedes the end. @param {import('node:events').EventEmitter} socket */
function closing(socket) {
  return new Promise((resolve) => socket.on('close', resolve))
}

/** @param {string} url */
function open(url) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  setTimeout(() => socket.destroy(), 60_000).unref()
  return socket
}
