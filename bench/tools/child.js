/** Runs contenders and the load generator as child processes. */
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const run = promisify(execFile)
export const root = fileURLToPath(new URL('../..', import.meta.url))
export const svcCommand = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url))

const maxMilliseconds = 900_000

/**
 * Running children. They are killed when the bench exits for any reason. @type
 * {Set<import('node:child_process').ChildProcess>}
 */
const running = new Set()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(1))

/** @template {import('node:child_process').ChildProcess} Child @param {Child} child */
export function endsWithBench(child) {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/**
 * @typedef {{ port: number, pid: number, ask: <Answer>(message: unknown) => Promise<Answer>, stop: () => Promise<void> }} Contender
 */

/**
 * Starts a file of `bench/` and waits for its first message, which may contain a port. Send one question at a time.
 *
 * @param {string} file @param {string[]} [args] @returns {Promise<Contender>}
 */
export async function startContender(file, args = []) {
  const child = endsWithBench(
    fork(fileURLToPath(new URL(`../${file}`, import.meta.url)), args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    }),
  )
  const { port } = /** @type {{ port: number }} */ (await nextMessage(child))
  return {
    port,
    pid: Number(child.pid),
    async ask(message) {
      const answer = nextMessage(child)
      child.send(/** @type {import('node:child_process').Serializable} */ (message))
      return /** @type {never} */ (await answer)
    },
    stop: () => stop(child),
  }
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<unknown>} */
function nextMessage(child) {
  return new Promise((resolve, reject) => {
    const onExit = (/** @type {number | null} */ code) => reject(new Error(`A contender ended with ${code}.`))
    const timer = setTimeout(() => reject(new Error('A contender does not answer.')), maxMilliseconds)
    child.once('exit', onExit)
    child.once('message', (message) => {
      clearTimeout(timer)
      child.off('exit', onExit)
      resolve(message)
    })
  })
}

/** @param {import('node:child_process').ChildProcess} child */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(timer)
}

/** Returns the resident memory of a process. @param {number} pid */
export function residentMegabytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
