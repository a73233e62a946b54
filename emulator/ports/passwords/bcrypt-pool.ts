import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { openFairQueue } from '../../core/concurrency/fair-queue.js'
import { ownFolder } from '../../facts/own-folder.js'
import { bcryptName } from './bcrypt-library.js'
import type { Hasher, PasswordOwner } from './port.js'

/** Contract 6.6. */
const cost = 10

/** The hash of a random password with the same cost, so that checking against it takes as long. */
export const dummyHash = '$2b$10$U3JFWHUhVvzAhukXbpVbiO6wQZ7NJAAP3SWtccLrPq1p6h61wee5i'

interface Question {
  readonly password: string
  readonly hash?: string
  answer(answer: string | boolean): void
  fail(error: unknown): void
}

interface Options {
  /** Default: one for each processor. */
  readonly workers?: number
  /** The queue length for each kind. Default 200, which is some seconds of work. */
  readonly maxWaiting?: number
}

/** Runs bcrypt in worker threads, which start with the first password. */
export function openBcryptPool({ workers = availableParallelism(), maxWaiting = 200 }: Options = {}): Hasher {
  const queues = { hash: openFairQueue<Question>(maxWaiting), match: openFairQueue<Question>(maxWaiting) }
  let last: keyof typeof queues = 'hash'
  const idle: Worker[] = []
  const busy = new Map<Worker, Question>()
  let isClosed = false

  function ask<Answer extends string | boolean>(
    kind: keyof typeof queues,
    { address, account }: PasswordOwner,
    question: { password: string; hash?: string },
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (isClosed) {
        reject(plainError('UNAVAILABLE'))
        return
      }
      const displaced = queues[kind].push([address, account], {
        ...question,
        answer: (answer) => resolve(answer as Answer),
        fail: reject,
      })
      displaced?.fail(
        new SvcError('UNAVAILABLE', 'Too many passwords are being checked.', [], { retryAfterSeconds: 2 }),
      )
      next()
    })
  }

  function next(): void {
    if (idle.length === 0 && busy.size >= workers) return
    const question = nextQuestion()
    if (!question) return
    const worker = idle.pop() ?? begin()
    busy.set(worker, question)
    worker.postMessage({ password: question.password, hash: question.hash, cost })
  }

  /** Alternates between the two queues. */
  function nextQuestion(): Question | undefined {
    const other = last === 'hash' ? 'match' : 'hash'
    const question = queues[other].shift()
    if (question) last = other
    return question ?? queues[last].shift()
  }

  function begin(): Worker {
    const worker = new Worker(new URL('ports/passwords/bcrypt-worker.js', ownFolder))
    worker.on('message', (answer) => {
      busy.get(worker)?.answer(answer)
      busy.delete(worker)
      idle.push(worker)
      next()
    })
    worker.on('error', (error) => end(worker, error))
    worker.on('exit', () => end(worker, plainError('UNAVAILABLE')))
    // Called last, because adding a listener to a worker refs it again.
    worker.unref()
    return worker
  }

  /** Fails the question of a dead worker. The next question starts a new worker. */
  function end(worker: Worker, error: unknown): void {
    busy.get(worker)?.fail(error)
    busy.delete(worker)
    const at = idle.indexOf(worker)
    if (at !== -1) idle.splice(at, 1)
    if (!isClosed) next()
  }

  return {
    hash: (password, owner) => ask<string>('hash', owner, { password }),
    async matches(password, hash, owner) {
      const isRight = await ask<boolean>('match', owner, { password, hash: hash ?? dummyHash })
      return isRight && hash !== null
    },
    waiting: () => queues.hash.size() + queues.match.size(),
    library: () => bcryptName(),
    async close() {
      isClosed = true
      for (let left = nextQuestion(); left; left = nextQuestion()) left.fail(plainError('UNAVAILABLE'))
      await Promise.all([...idle, ...busy.keys()].map((worker) => worker.terminate()))
    },
  }
}
