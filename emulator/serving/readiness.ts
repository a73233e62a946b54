/** Checks whether a process is ready. Caches the result for a second, because load balancers ask often. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Backend } from '../core/context.js'
import { ping } from '../store/ping.js'
import type { Readiness } from './probes.js'

const cacheMilliseconds = 1_000
const timeoutMilliseconds = 3_000
/** An id that no file has. */
const noFile = '00000000-0000-7000-8000-000000000000'

export interface ProcessReadiness extends Readiness {
  /** Makes the process report not ready from now on. */
  stop(): void
}

/**
 * Depends only on the database. An unreachable bucket is reported, but the process stays ready: requests for files get
 * 503, and all others work. Otherwise every process would leave its load balancer at once. Migrations finish before a
 * process listens.
 */
export function openReadiness({ db, files }: Pick<Backend, 'db' | 'files'>): ProcessReadiness {
  let isStopping = false
  let asked: { readonly at: number; readonly parts: Promise<Parts> } | undefined

  function look(): Promise<Parts> {
    const now = performance.now()
    if (!asked || now - asked.at > cacheMilliseconds) {
      asked = { at: now, parts: checkParts({ database: ping(db), files: files.has(noFile) }) }
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

async function checkParts(questions: Readonly<Record<string, Promise<unknown>>>): Promise<Parts> {
  const answers = Object.entries(questions).map(async ([name, question]) => {
    const answered = question.then(
      () => true,
      () => false,
    )
    const isThere = await Promise.race([answered, pause(timeoutMilliseconds, false, { ref: false })])
    return [name, isThere ? 'ok' : 'unreachable'] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}
