/** Several processes on one port, by `node:cluster`: one that ends or hangs is replaced, after a pause that grows while they keep ending. */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { StartError } from '../database/start-error.js'
import type { ClusterMetrics, RestartReason } from './cluster-metrics.js'
import { requireServable, type ServeConfig } from './config.js'
import { type Handoffs, openHandoffs } from './handoffs.js'
import { type FromWorker, isOurs, type ToWorker } from './messages.js'
import { openWatchdog, type Watchdog } from './watchdog.js'

export interface Workers {
  readonly url: string
  readonly adminUrl: string | undefined
  /** The processes that answer now. */
  pids(): readonly number[]
  /** Has all of them leave, and resolves once they have. */
  close(): Promise<void>
  /** Ends all of them at once. */
  kill(): void
}

interface State {
  /** With the ports that were found where any will do. */
  config: ServeConfig
  readonly warn: (words: string) => void
  readonly running: Map<Worker, Promise<Ended>>
  /** Of all workers; nothing where there is no port that shows them. */
  readonly metrics: ClusterMetrics | undefined
  readonly watchdog: Watchdog<Worker>
  /** Those that it has found. */
  readonly hung: WeakSet<Worker>
  readonly handoffs: Handoffs
  /** Whether one has been ready: the configuration is good. */
  hasStarted: boolean
  isClosing: boolean
}

interface Ended {
  readonly how: string
  readonly reason: RestartReason
}

type Ready = Extract<FromWorker, { kind: 'ready' }>

const firstPauseMilliseconds = 100
const longestPauseMilliseconds = 10_000
/** Who has lived that long is replaced at once. */
const steadyMilliseconds = 30_000
/** How many times as long one may be silent that starts: it loads its modules, which takes all of a processor. */
const startingTimes = 10
/** After the time that requests have, for closing what is below. */
const graceMilliseconds = 10_000

/** @throws {StartError} if the first one cannot start */
export async function openWorkers(given: ServeConfig, warn: (words: string) => void): Promise<Workers> {
  requireServable(given)
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./worker.js', import.meta.url)), args: [] })
  // Loaded only where they are read.
  const metrics =
    given.adminPort === undefined ? undefined : (await import('./cluster-metrics.js')).openClusterMetrics(given.workers)
  const watchdog = openWatchdog<Worker>(given.workerTimeout)
  const watching = { watchdog, hung: new WeakSet<Worker>(), handoffs: openHandoffs() }
  const state: State = {
    config: given,
    warn,
    metrics,
    ...watching,
    running: new Map(),
    hasStarted: false,
    isClosing: false,
  }
  // Alone at first: it brings the database up to date, and finds out whether it can start at all.
  const first = await beginFirst(state, given).catch((error) => {
    watchdog.close()
    throw error
  })
  for (let at = 1; at < given.workers; at++) void keepOne(state)
  void keepOne(state, first.worker)
  const { url, adminUrl } = first.ready
  return {
    ...{ url, adminUrl },
    pids: () => [...state.running.keys()].flatMap(({ process: { pid } }) => (pid === undefined ? [] : [pid])),
    close: () => close(state),
    kill() {
      state.isClosing = true
      for (const worker of state.running.keys()) worker.process.kill('SIGKILL')
    },
  }
}

/** One place among the workers: the process in it is replaced when it ends. */
async function keepOne(state: State, first?: Worker): Promise<void> {
  let worker = first
  let wait = firstPauseMilliseconds
  while (!state.isClosing) {
    const begunAt = performance.now()
    try {
      worker ??= (await begin(state)).worker
      const ended = await state.running.get(worker)
      if (state.isClosing) return
      state.metrics?.restarted(ended?.reason ?? 'exit')
      state.warn(`A worker ended (${ended?.how ?? 'unknown'}); another one takes its place.`)
    } catch (error) {
      state.metrics?.restarted('not started')
      state.warn(`A worker did not start: ${error instanceof Error ? error.message : error}`)
    }
    worker = undefined
    if (performance.now() - begunAt > steadyMilliseconds) wait = firstPauseMilliseconds
    await pause(wait * (0.5 + Math.random()))
    wait = Math.min(wait * 2, longestPauseMilliseconds)
  }
}

/** The first worker. A port that was free may be taken before it listens: where 0 asks for any, another one will do. */
async function beginFirst(state: State, given: ServeConfig): ReturnType<typeof begin> {
  for (let tries = 1; ; tries++) {
    state.config = {
      ...given,
      port: await freePort(given.port),
      adminPort: given.adminPort === undefined ? undefined : await freePort(given.adminPort),
    }
    try {
      return await begin(state)
    } catch (error) {
      const { code, port } = error as StartError
      const isGiven = port === given.port || port === given.adminPort
      if (code !== 'PORT_IN_USE' || isGiven || tries === 20) throw error
    }
  }
}

/** A worker that answers. @throws {StartError} what kept it from that */
async function begin(state: State): Promise<{ worker: Worker; ready: Ready }> {
  const worker = cluster.fork()
  const ended = endOf(state, worker)
  state.running.set(worker, ended)
  state.handoffs.watch(worker)
  // It may hang before it says anything.
  watch(state, worker, startingTimes)
  const ready = new Promise<Ready>((resolve, reject) => {
    worker.on('message', (message) => {
      if (!isOurs<FromWorker>(message)) return
      state.watchdog.answered(worker)
      // What is said before it listens is lost.
      if (message.kind === 'up') say(worker, state.isClosing ? { kind: 'drain' } : startOf(state))
      if (message.kind === 'ready') {
        state.hasStarted = true
        watch(state, worker)
        resolve(message)
      }
      if (message.kind === 'figures') state.metrics?.received(worker, message)
      if (message.kind === 'metrics') void sayMetrics(state, worker, message.id)
      // The code was made by a StartError of the same version.
      if (message.kind === 'failed') {
        const code = message.code as StartError['code']
        reject(new StartError(code, message.message, message.hint, undefined, message.port))
      }
    })
    void ended.then(({ how }) => {
      const hint = 'What it said is on standard error.'
      reject(new StartError('NOT_STARTED', `A worker ended before it was ready: ${how}.`, hint))
    })
  })
  return { worker, ready: await ready }
}

function startOf({ config, hasStarted }: State): ToWorker {
  return { kind: 'start', config, isReplacement: hasStarted }
}

async function endOf({ running, watchdog, hung, metrics }: State, worker: Worker): Promise<Ended> {
  const ended = await new Promise<Ended>((resolve) => {
    worker.once('exit', (code, signal) =>
      resolve(signal ? { how: `by ${signal}`, reason: 'signal' } : { how: `exit ${code}`, reason: 'exit' }),
    )
    // One that the system refuses to begin has no exit. Of one that runs, others tell what becomes of it.
    worker.on('error', ({ message }) => {
      if (worker.process.pid === undefined) resolve({ how: message, reason: 'not started' })
    })
  })
  running.delete(worker)
  metrics?.ended(worker)
  watchdog.remove(worker)
  return hung.has(worker) ? { how: 'it hung', reason: 'hung' } : ended
}

/** Kills one that answers no more. Nothing else would end it: a signal that it handles waits for its event loop, too. */
function watch({ config, warn, watchdog, hung }: State, worker: Worker, times = 1): void {
  const seconds = (times * config.workerTimeout) / 1_000
  watchdog.watch(worker, {
    times,
    ask: () => say(worker, { kind: 'ping' }),
    onSilent() {
      hung.add(worker)
      warn(`A worker (process ${worker.process.pid}) has not answered for ${seconds} s: it hangs, and is killed.`)
      worker.process.kill('SIGKILL')
    },
  })
}

async function sayMetrics({ metrics, running }: State, worker: Worker, id: number): Promise<void> {
  const text = await metrics?.text([...running.keys()]).catch(() => undefined)
  say(worker, { kind: 'metrics', id, text })
}

async function close(state: State): Promise<void> {
  const { config, running } = state
  state.isClosing = true
  for (const worker of running.keys()) say(worker, { kind: 'drain' })
  const most = config.shutdownDelay + config.shutdownTimeout + graceMilliseconds
  const late = setTimeout(() => {
    for (const worker of running.keys()) worker.process.kill('SIGKILL')
  }, most)
  await Promise.all(running.values())
  clearTimeout(late)
  state.watchdog.close()
}

/** One that has just ended hears nothing any more. */
function say(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, undefined, () => undefined)
}

/** Workers that begin later have to take the same port, which 0 would not name. */
async function freePort(port: number): Promise<number> {
  if (port !== 0) return port
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  await once(server.close(), 'close')
  return typeof address === 'object' && address ? address.port : 0
}
