/** Whether a process can answer: asked by balancers every few seconds, so an answer serves all who ask within one. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Backend } from '../core/context.js'
import { ping } from '../store/ping.js'
import type { Readiness } from './probes.js'

const keptMilliseconds = 1_000
const mostMilliseconds = 3_000
/** No file has this id. */
const noFile = '00000000-0000-7000-8000-000000000000'

export interface ProcessReadiness extends Readiness {
  /** Not ready from now on. */
  stop(): void
}

/**
 * The database decides. A bucket that does not answer is told, and no more: requests for files answer 503, and all others go on,
 * which they would not if every process left its balancer at once. Migrations are over before a process listens.
 */
export function openReadiness({ db, files }: Pick<Backend, 'db' | 'files'>): ProcessReadiness {
  let isStopping = false
  let asked: { readonly at: number; readonly parts: Promise<Parts> } | undefined

  function look(): Promise<Parts> {
    const now = performance.now()
    if (!asked || now - asked.at > keptMilliseconds) {
      asked = { at: now, parts: lookAt({ database: ping(db), files: files.has(noFile) }) }
    }
    return asked.parts
  }

  return {
    stop() {
      isStopping = true
    },
    async read() {
      const parts = await look()
      if (isStopping) return { isReady: false, status: 'stopping', parts }
      const isReady = parts.database === 'ok'
      return { isReady, status: isReady ? 'ready' : 'unready', parts }
    },
  }
}

type Parts = Readonly<Record<string, 'ok' | 'unreachable'>>

async function lookAt(questions: Readonly<Record<string, Promise<unknown>>>): Promise<Parts> {
  const answers = Object.entries(questions).map(async ([name, question]) => {
    const answered = question.then(
      () => true,
      () => false,
    )
    const isThere = await Promise.race([answered, pause(mostMilliseconds, false, { ref: false })])
    return [name, isThere ? 'ok' : 'unreachable'] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}
