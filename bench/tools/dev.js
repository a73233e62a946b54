/** Starts `svc dev` in a separate process, as users do, and sends requests to it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endsWithBench, stop, svcCommand } from './child.js'

const turns = fileURLToPath(new URL('../attacks/turns.js', import.meta.url))
const calmMilliseconds = 3_000

/**
 * @typedef {{
 *   url: string, port: number, apiKey: string, controlToken: string, pid: number, readyMilliseconds: number,
 *   headers: Record<string, string>,
 *   ask: (method: string, path: string, body?: unknown) => Promise<any>,
 *   control: (method: string, path: string, body: unknown) => Promise<void>,
 *   longestTurn: () => Promise<{ turn: number, computing: number }>,
 *   stop: () => Promise<void>,
 * }} Dev
 */

/**
 * Starts it on a folder and waits for the ready file.
 *
 * @param {string} folder @param {{ command?: string, flags?: string[], isWatched?: boolean }} [options] entry file of
 * another build, flags of `svc dev`, and whether to measure the turns of its event loop
 * @returns {Promise<Dev>}
 */
export async function startDev(folder, { command = svcCommand, flags = [], isWatched = false } = {}) {
  const place = await mkdtemp(join(tmpdir(), 'svc-bench-ready-'))
  const readyFile = join(place, 'ready.json')
  const changed = watch(place)
  const begunAt = performance.now()
  const child = endsWithBench(
    spawn(
      process.execPath,
      [
        ...(isWatched ? ['--import', turns] : []),
        ...[command, 'dev', '--quiet', '--port', '0', '--data', folder, '--ready-file', readyFile],
        ...flags,
      ],
      { stdio: ['ignore', 'ignore', 'inherit', ...(isWatched ? /** @type {const} */ (['ipc']) : [])] },
    ),
  )
  const info = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('svc dev is not ready after a minute.')), 60_000)
    child.once('exit', (code) => reject(new Error(`svc dev ended with ${code}.`)))
    changed.on('change', async () => {
      const text = await readFile(readyFile, 'utf8').catch(() => '')
      if (!text.endsWith('}\n')) return
      clearTimeout(timer)
      resolve(JSON.parse(text))
    })
  })
  const readyMilliseconds = performance.now() - begunAt
  changed.close()
  const headers = { 'x-api-key': info.apiKey }

  return {
    url: info.url,
    port: Number(new URL(info.url).port),
    apiKey: info.apiKey,
    controlToken: info.controlToken,
    pid: Number(child.pid),
    readyMilliseconds,
    headers,
    async ask(method, path, body) {
      const answer = await fetch(info.url + path, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`)
      return JSON.parse(text)
    },
    async control(method, path, body) {
      const headers = { 'svc-control-token': info.controlToken, 'content-type': 'application/json' }
      const answer = await fetch(`${info.url}/_svc/api${path}`, { method, headers, body: JSON.stringify(body) })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`)
    },
    /** Longest turn in milliseconds since the last call. */
    async longestTurn() {
      const answer = once(child, 'message')
      child.send('turn')
      const [{ longest }] = await answer
      return longest
    },
    async stop() {
      await stop(child)
      await rm(place, { recursive: true, force: true })
    },
  }
}

/**
 * Waits until the service has created the indexes for earlier lists. It creates one after a second without requests,
 * and blocks while doing so. A request after a pause is fast only if no index is left to create.
 *
 * @param {Dev} dev
 */
export async function untilIndexed(dev) {
  for (let milliseconds = Number.POSITIVE_INFINITY; milliseconds > 100; ) {
    await pause(calmMilliseconds)
    const begunAt = performance.now()
    await dev.ask('GET', '/api/collections')
    milliseconds = performance.now() - begunAt
  }
}
