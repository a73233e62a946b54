/** A worker thread of vitest that outlives the run of a mutant: what it has imported and started, it need not begin anew for the next one. */
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
      // The end of this run is not the end of the thread.
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

/** Stryker asks for threads; this goes on in one. */
export const keptWorker: Plugin = {
  name: 'kept-worker',
  configureVitest({ project, vitest }) {
    Object.assign(project.config, { pool: name, poolRunner: { name, createPoolWorker } })
    vitest.onClose(async () => {
      await thread?.terminate()
    })
  },
}
