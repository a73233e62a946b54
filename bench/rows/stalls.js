/**
 * Measures how attacks affect other callers: the longest GET in another project, the longest event loop turn, and the
 * growth of memory, on PGlite and PostgreSQL.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { attacks } from '../attacks/attacks.js'
import { startContender, svcCommand } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { startPostgres } from '../tools/postgres.js'

/**
 * @typedef {import('../tools/dev.js').Dev} Dev @typedef {import('../tools/table.js').Row} Row
 * @typedef {import('../attacks/requests.js').Target} Target
 * @typedef {{ wait: number, turn: number, computing: number, growth: number }} Figures
 */

const most = { wait: 500, turn: 50, growth: 256 }

/** How often the other caller sends a request, and for how long after an attack. */
const everyMilliseconds = 10
const afterMilliseconds = 1_000

/** Selects attacks by parts of their names with `STALLS_ONLY='PATCH|batches'`. */
const parts = (process.env.STALLS_ONLY ?? '').split('|')
const wanted = Object.entries(attacks).filter(([what]) => parts.some((part) => what.includes(part)))
const prepare = [...new Set(wanted.flatMap(([, { needs = [] }]) => needs))]

/** @returns {Promise<Row[]>} */
export function measure() {
  const { STALLS_BUILD: build } = process.env
  return measureStalls(build === undefined ? svcCommand : join(build, 'cli', 'bin', 'run.js'))
}

/** @param {string} command the entry file of a build @returns {Promise<Row[]>} */
async function measureStalls(command) {
  const postgres = await startPostgres()
  try {
    return [
      ...(await measureOn(command, 'PGlite', [])),
      ...(await measureOn(command, 'PostgreSQL', ['--database-url', postgres.url])),
    ]
  } finally {
    await postgres.stop()
  }
}

/** @param {string} command @param {string} engine @param {string[]} flags @returns {Promise<Row[]>} */
async function measureOn(command, engine, flags) {
  const dev = await startDev(newPath(), { command, flags, isWatched: true })
  const attacker = await startContender('attacks/attacker.js')
  try {
    const target = await createProject(dev, 'attacked')
    const other = await createProject(dev, 'other')
    const rows = []
    await attacker.ask({ prepare, target })
    const path = await createDocument(other)
    for (const [what] of wanted) {
      const figures = await suffer(dev, { ...other, path }, () => attacker.ask({ what, target }))
      rows.push(...toRows(`${what}, ${engine}`, figures))
    }
    return rows
  } finally {
    await attacker.stop()
    await dev.stop()
  }
}

/** @param {Dev} dev @param {string} name @returns {Promise<Target>} */
async function createProject({ url, controlToken }, name) {
  const headers = { 'svc-control-token': controlToken, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/_svc/api/projects`, { method: 'POST', headers, body: JSON.stringify({ name }) })
  const { id, apiKey, secretKey } = await answer.json()
  return { url, controlToken, project: id, key: apiKey, adminKey: secretKey }
}

/** Returns the path of the other caller's document. @param {Target} target */
async function createDocument({ url, adminKey, key }) {
  const headers = { 'x-api-key': adminKey, 'content-type': 'application/json' }
  const post = (/** @type {string} */ path, /** @type {object} */ body) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) }).then((answer) => answer.json())
  await post('/collections', { name: 'notes' })
  const { id } = await post('/collections/notes', { text: 'Hello' })
  await get({ url, key, path: `/collections/notes/${id}` })
  return `/collections/notes/${id}`
}

/** @param {Dev} dev @param {Target & { path: string }} other @param {() => Promise<{ result: unknown }>} attack @returns {Promise<Figures>} */
async function suffer(dev, other, attack) {
  await pause(afterMilliseconds)
  await dev.longestTurn()
  // Resets the recorded peak memory.
  writeFileSync(`/proc/${dev.pid}/clear_refs`, '5')
  const before = highestMegabytes(dev.pid)
  let wait = 0
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      wait = Math.max(wait, await get(other))
      await pause(everyMilliseconds)
    }
  })()
  const { result } = await attack()
  await pause(afterMilliseconds)
  isOver = true
  await asking
  console.error(`  ${JSON.stringify(result).slice(0, 300)}`)
  return { wait, ...(await dev.longestTurn()), growth: highestMegabytes(dev.pid) - before }
}

const agent = new Agent({ keepAlive: true })

/**
 * Returns the milliseconds until the response, from another address than the attacker's. @param {{ url: string, key:
 * string, path: string }} asked @returns {Promise<number>}
 */
function get({ url, key, path }) {
  const begunAt = performance.now()
  const options = { agent, headers: { 'x-api-key': key }, localAddress: '127.0.0.2' }
  return new Promise((resolve, reject) => {
    const asked = request(url + path, options, (answer) => {
      answer.resume()
      answer.once('end', () => {
        if (answer.statusCode !== 200) console.error(`  The other caller got status ${answer.statusCode}.`)
        resolve(performance.now() - begunAt)
      })
    })
    asked.once('error', reject)
    asked.end()
  })
}

/** Returns the peak resident memory of a process. @param {number} pid */
function highestMegabytes(pid) {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** @param {string} what @param {Figures} figures @returns {Row[]} */
function toRows(what, { wait, turn, computing, growth }) {
  const row = (
    /** @type {string} */ of,
    /** @type {number} */ value,
    /** @type {number} */ atMost,
    /** @type {string} */ unit,
  ) => ({
    ...{ what: `${what}: ${of}`, against: 'plain figure', values: [value], target: { atMost }, unit },
  })
  return [
    row('longest GET of another', wait, most.wait, ' ms'),
    row('longest turn', turn, most.turn, ' ms'),
    row('longest turn, processor time', computing, most.turn, ' ms'),
    row('memory', growth, most.growth, ' MB'),
  ]
}
