/** Guessing passwords and codes slows down: by account, and by the address that guesses. */
import { createHash } from 'node:crypto'
import { SvcError } from '../../client/model/errors.js'
import { countFailure, deleteFailures, type Failures, selectFailures } from '../store/failed-guesses.js'
import type { Context } from './context.js'

/** Wrong guesses that cost nothing, and how long the first one after them has to wait; each further one doubles it. */
const free = { account: 10, address: 100 } as const
const firstWaitMilliseconds = 1_000
const longestWaitMilliseconds = 60_000

/** How long a wrong guess is remembered. */
export const rememberedMilliseconds = 15 * 60_000

/** Who guesses at what. */
export interface Guesser {
  readonly emailKey: string
  readonly address: string
}

type Scope = Pick<Context, 'backend' | 'db' | 'project'>

/** @throws {SvcError} `RATE_LIMITED` to be asked before a guess is looked at, and again before a right one is rewarded. */
export async function requireMayGuess({ backend, db, project }: Scope, guesser: Guesser): Promise<void> {
  const { account, address } = subjectsOf(guesser)
  const now = backend.now().getTime()
  const found = await selectFailures(db, project.id, [account, address])
  const waits = found.map((failures) => waitAfter(failures, failures.subject === account ? 'account' : 'address', now))
  const wait = Math.max(0, ...waits)
  if (wait <= 0) return
  const retryAfterSeconds = Math.ceil(wait / 1_000)
  throw new SvcError('RATE_LIMITED', `Too many wrong guesses. Try again in ${retryAfterSeconds} seconds.`, [], {
    retryAfterSeconds,
  })
}

export async function countWrongGuess({ backend, db, project }: Scope, guesser: Guesser): Promise<void> {
  const now = backend.now().getTime()
  const forgotten = new Date(now - rememberedMilliseconds).toISOString()
  const at = new Date(now).toISOString()
  await countFailure(db, project.id, Object.values(subjectsOf(guesser)), { at, forgotten })
}

/** A right one makes the account's wrong ones forgotten; those of the address stay, since its owner has an account too. */
export async function forgetGuesses({ db, project }: Scope, guesser: Guesser): Promise<void> {
  await deleteFailures(db, project.id, subjectsOf(guesser).account)
}

function waitAfter({ failures, lastAt }: Failures, kind: keyof typeof free, now: number): number {
  const since = now - Date.parse(lastAt)
  const over = failures - free[kind]
  // One from the future was counted before the clock was set back.
  if (over < 0 || Math.abs(since) > rememberedMilliseconds) return 0
  return Math.min(firstWaitMilliseconds * 2 ** over, longestWaitMilliseconds) - since
}

/** Neither addresses nor emails of people who have no account are worth keeping readable. */
function subjectsOf({ emailKey, address }: Guesser): { account: string; address: string } {
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
  return { account: digest(`account ${emailKey}`), address: digest(`address ${address}`) }
}
