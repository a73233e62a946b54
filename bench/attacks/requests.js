/** Sends the requests of attacks. Each function counts the responses by status. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { WebSocket } from 'ws'

export const json = { 'content-type': 'application/json' }

/** @typedef {{ url: string, project: string, key: string, adminKey: string, controlToken: string }} Target */

/**
 * Sends a request many times and reads the responses.
 *
 * @param {number} times @param {string} url @param {RequestInit | ((at: number) => RequestInit)} options @param
 * {number} [together] parallel requests; all by default
 */
export async function atOnce(times, url, options, together = times) {
  let next = 0
  return count(together, async (add) => {
    for (let at = next++; at < times; at = next++) {
      add(await fetch(url, typeof options === 'function' ? options(at) : options).then(read, () => 'broken'))
    }
  })
}

/** @param {Target} target @param {number} times @param {string} path */
export function gets({ url, key }, times, path) {
  return atOnce(times, url + path, { headers: { 'x-api-key': key } })
}

/**
 * POSTs a raw body over connections that close after the first response. @param {Target} target @param {number} times
 * @param {object} headers @param {string} body
 */
export function connections({ url, key }, times, headers, body) {
  const { hostname, port, host } = new URL(url)
  const lines = Object.entries({ host, 'x-api-key': key, ...headers }).map((header) => header.join(': '))
  const request = Buffer.from(`POST /collections/posts HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  return count(times, async (add) => {
    const socket = connect(Number(port), hostname)
    const giveUp = setTimeout(() => socket.destroy(), maxMilliseconds)
    let answer = ''
    socket.on('data', (data) => {
      answer += data
      if (answer.includes('\r\n\r\n')) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.end(request)
    await once(socket, 'close')
    clearTimeout(giveUp)
    add(answer.slice(9, 12) || 'broken')
  })
}

/**
 * Sends messages as soon as a socket is open. @param {Target} target @param {number} many @param {number} messages
 * @param {() => string} createText
 */
export function sockets({ url, key }, many, messages, createText) {
  return count(many, async (add) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime`)
    const giveUp = setTimeout(() => socket.terminate(), maxMilliseconds)
    let answers = 0
    socket.on('message', () => ++answers > messages && socket.terminate())
    socket.on('error', () => undefined)
    socket.on('open', () => {
      for (const text of [
        JSON.stringify({ type: 'auth', token: key }),
        ...Array.from({ length: messages }, createText),
      ]) {
        socket.send(text)
      }
    })
    const [code] = await once(socket, 'close')
    clearTimeout(giveUp)
    add(`${code} after ${answers} answers`)
  })
}

/** Timeout of one connection. */
const maxMilliseconds = 60_000

/** @param {number} times @param {(add: (answer: string) => void) => Promise<void>} work */
async function count(times, work) {
  /** @type {Record<string, number>} */
  const answers = {}
  const add = (/** @type {string} */ answer) => {
    answers[answer] = (answers[answer] ?? 0) + 1
  }
  await Promise.all(Array.from({ length: times }, () => work(add)))
  return answers
}

/** Discards the body, because the attacker's memory is not measured. @param {Response} answer */
async function read(answer) {
  for await (const _ of answer.body ?? []);
  return String(answer.status)
}

/** @param {Omit<Target, 'project'>} target @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
export async function ask({ url, adminKey, controlToken }, method, path, body) {
  /** @type {Record<string, string>} */
  const credentials = path.startsWith('/_svc') ? { 'svc-control-token': controlToken } : { 'x-api-key': adminKey }
  const headers = { ...credentials, 'content-type': 'application/json' }
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${(await answer.text()).slice(0, 200)}`)
  return answer.json()
}

/**
 * Fills a collection that everyone may read and write.
 *
 * @param {Target} target @param {string} name @param {number} count @param {(at: number) => object} documentAt @param
 * {number} together
 * @returns {Promise<string[]>} the ids
 */
export async function fill(target, name, count, documentAt, together) {
  await ask(target, 'POST', '/collections', { name })
  const ids = []
  for (let first = 0; first < count; first += together) {
    const documents = Array.from({ length: Math.min(together, count - first) }, (_, at) => documentAt(first + at))
    const made = await ask(target, 'POST', `/collections/${name}/batch`, { documents })
    ids.push(...made.map((/** @type {{ id: string }} */ { id }) => id))
  }
  return ids
}

/** Generates incompressible text. @param {number} characters @param {number} seed */
export function text(characters, seed) {
  let state = seed + 1
  let made = ''
  while (made.length < characters) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    made += `${state.toString(36)} `
  }
  return made.slice(0, characters)
}
