/** Keeps a vitest worker thread between mutants, so that imports and the service are reused. */
import { Worker } from 'node:worker_threads'
import type { Plugin } from 'vite'
import type { PoolOptions, PoolWorker, WorkerRequest } from 'vitest/node'

const name = 'kept'

type Listener = Parameters<PoolWorker['on']>[1]

let thread: Worker | undefined

function createPoolWorker({ distPath, env, execArgv }: PoolOptions): PoolWorker {
  const listeners: [event: string, listener: Listener][] = []
  let isOver = false

  function emit(message: unknown): void {
    for (const [event, listener] of [...listeners]) if (event === 'message') listener(message)
  }

  return {
    name,
    on(event, listener) {
      listeners.push([event, listener])
      thread?.on(event, listener)
    },
    off(event, listener) {
      thread?.off(event, listener)
    },
    send(message: WorkerRequest) {
      isOver = message.type === 'stop'
      // Ends the run but keeps the thread.
      if (isOver) queueMicrotask(() => emit({ __vitest_worker_response__: true, type: 'stopped' }))
      else thread?.postMessage(message)
    },
    deserialize: (message) => message,
    async start() {
      thread ??= new Worker(`${distPath}/workers/threads.js`, { env: env as NodeJS.ProcessEnv, execArgv })
    },
    async stop() {
      for (const [event, listener] of listeners) thread?.off(event, listener)
      if (isOver) return
      await thread?.terminate()
      thread = undefined
    },
  }
}

/** Stryker requests a thread per run. This one is reused. */
export const keptWorker: Plugin = {
  name: 'kept-worker',
  configureVitest({ project, vitest }) {
    Object.assign(project.config, { pool: name, poolRunner: { name, createPoolWorker } })
    vitest.onClose(async () => {
      await thread?.terminate()
    })
  },
}
