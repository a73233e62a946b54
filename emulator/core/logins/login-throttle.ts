/** Delays logins after failed passwords and codes. Contract 6.12. */
import { createHash } from 'node:crypto'
import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { deleteAttempts, insertAttempts, selectAttempts } from '../../store/accounts/recent-attempts.js'
import type { Context } from '../context.js'

/** Failures that start a wait, per account and per address. Each further failure doubles the wait. */
const firstToWait = { account: 10, address: 100 } as const
const firstWaitMilliseconds = 1_000
const longestWaitMilliseconds = 60_000

/** How long a failure counts. */
const countedMilliseconds = 15 * 60_000

/** Failures after the first wait, until the wait reaches its maximum. */
const doublings = Math.ceil(Math.log2(longestWaitMilliseconds / firstWaitMilliseconds))

/** Maximum clock difference between processes that share a database. */
const skewMilliseconds = 1_000

/** The account whose password or code is tried, and the client's address. */
export interface LoginAttempt {
  /** The user, or the email as typed if it has no account, so that both cases take the same path. */
  readonly account: Pick<OutgoingUser, 'id'> | string
  /** The client's address; undefined if the client is already signed in. */
  readonly address: string | undefined
}

type Failure = Pick<LoginAttempt, 'address'> & { readonly account: LoginAttempt['account'] | undefined }

type Scope = Pick<Context, 'backend' | 'db' | 'project'>

type Kind = keyof typeof firstToWait

/**
 * @throws {SvcError} `RATE_LIMITED`. Call it before checking a password or code, and again before the answer discloses
 * the outcome.
 */
export async function requireMayTry({ backend, db, project }: Scope, attempt: LoginAttempt): Promise<void> {
  const subjects = listSubjects(project.settings, attempt)
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

/** Without an account, the failure counts only against the address. */
export async function countFailure({ backend, db, project }: Scope, attempt: Failure): Promise<void> {
  const now = backend.now(project.id).getTime()
  const at = new Date(now).toISOString()
  const expiresAt = new Date(now + countedMilliseconds).toISOString()
  for (const { subject, kind } of listSubjects(project.settings, attempt)) {
    await insertAttempts(db, project.id, [subject], { at, expiresAt, kept: firstToWait[kind] + doublings })
  }
}

/**
 * Clears the failures of an account after a complete login, and only then. Passwords and codes count together, so
 * clearing after one of them would allow unlimited attempts at the other. Failures of the address stay, because an
 * attacker may have an account too.
 */
export async function clearFailures({ db, project }: Scope, { account }: LoginAttempt): Promise<void> {
  await deleteAttempts(db, project.id, accountSubject(account))
}

function waitAfter(times: readonly number[], kind: Kind, now: number): number {
  // Ignores failures from the future: they were counted before the clock was set back.
  const counted = times.filter((time) => time > now - countedMilliseconds && time <= now + skewMilliseconds)
  const over = counted.length - firstToWait[kind]
  if (over < 0) return 0
  return Math.min(firstWaitMilliseconds * 2 ** over, longestWaitMilliseconds) - (now - Math.max(...counted))
}

function listSubjects(
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

/** Hashes addresses and emails, because they may belong to people without an account. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
