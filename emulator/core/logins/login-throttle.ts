/** Failed attempts at passwords and codes make the next one wait. Contract 6.12. */
import { createHash } from 'node:crypto'
import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { deleteAttempts, insertAttempts, selectAttempts } from '../../store/accounts/recent-attempts.js'
import type { Context } from '../context.js'

/** The failure that starts a wait, by account and by address. Each further one doubles the wait. */
const firstToWait = { account: 10, address: 100 } as const
const firstWaitMilliseconds = 1_000
const longestWaitMilliseconds = 60_000

/** How long a failure counts. */
const countedMilliseconds = 15 * 60_000

/** Failures beyond the first that has to wait, after which the wait grows no further. */
const steps = Math.ceil(Math.log2(longestWaitMilliseconds / firstWaitMilliseconds))

/** By how much the clocks of processes that share a database may differ. */
const skewMilliseconds = 1_000

/** Whose password or code is tried, and from where. */
export interface LoginAttempt {
  /** An address without an account is counted as it was typed, so that both take the same way. */
  readonly account: Pick<OutgoingUser, 'id'> | string
  /** Where the client is; nothing where it is signed in already. */
  readonly address: string | undefined
}

type Failure = Pick<LoginAttempt, 'address'> & { readonly account: LoginAttempt['account'] | undefined }

type Scope = Pick<Context, 'backend' | 'db' | 'project'>

type Kind = keyof typeof firstToWait

/** @throws {SvcError} `RATE_LIMITED`. Call it before a password or code is checked, and again before the answer discloses the outcome. */
export async function requireMayTry({ backend, db, project }: Scope, attempt: LoginAttempt): Promise<void> {
  const subjects = subjectsOf(project.settings, attempt)
  const failures = await selectAttempts(
    db,
    project.id,
    subjects.map(({ subject }) => subject),
  )
  const now = backend.now(project.id).getTime()
  const wait = Math.max(...subjects.map(({ subject, kind }) => waitAfter(failures.get(subject) ?? [], kind, now)))
  if (wait <= 0) return
  const retryAfterSeconds = Math.ceil(wait / 1_000)
  throw new SvcError('RATE_LIMITED', `Too many failed attempts. Try again in ${retryAfterSeconds} seconds.`, [], {
    retryAfterSeconds,
    reason: { kind: 'attempts', retryAfterSeconds },
  })
}

/** Without an account, the failure counts against the address only. */
export async function countFailure({ backend, db, project }: Scope, attempt: Failure): Promise<void> {
  const now = backend.now(project.id).getTime()
  const at = new Date(now).toISOString()
  const expiresAt = new Date(now + countedMilliseconds).toISOString()
  for (const { subject, kind } of subjectsOf(project.settings, attempt)) {
    await insertAttempts(db, project.id, [subject], { at, expiresAt, kept: firstToWait[kind] + steps })
  }
}

/**
 * A whole login clears the account's failures, and nothing less does: passwords and codes count together, so what proves only one
 * of them would leave the other open to any number of attempts. Those of the address stay: its owner may have an account too.
 */
export async function clearFailures({ db, project }: Scope, { account }: LoginAttempt): Promise<void> {
  await deleteAttempts(db, project.id, accountSubject(account))
}

function waitAfter(times: readonly number[], kind: Kind, now: number): number {
  // Failures from the future were counted before the clock was set back, and count no more.
  const counted = times.filter((time) => time > now - countedMilliseconds && time <= now + skewMilliseconds)
  const over = counted.length - firstToWait[kind]
  if (over < 0) return 0
  return Math.min(firstWaitMilliseconds * 2 ** over, longestWaitMilliseconds) - (now - Math.max(...counted))
}

function subjectsOf(
  { loginThrottle }: Context['project']['settings'],
  { account, address }: Failure,
): { subject: string; kind: Kind }[] {
  const byAccount = account === undefined ? [] : [{ subject: accountSubject(account), kind: 'account' } as const]
  if (loginThrottle === 'account' || address === undefined) return byAccount
  return [...byAccount, { subject: digest(`address ${address}`), kind: 'address' }]
}

function accountSubject(account: LoginAttempt['account']): string {
  return digest(typeof account === 'string' ? `email ${account}` : `account ${account.id}`)
}

/** Neither addresses nor emails of people who have no account are worth keeping readable. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
