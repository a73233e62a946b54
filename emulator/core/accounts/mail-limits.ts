/** Limits how many mails of a kind an address gets if the project has a rate limit. Contract 6.8. */
import { createHash } from 'node:crypto'
import { deleteAttempts, insertAttempts, lockAttempts } from '../../store/accounts/recent-attempts.js'
import type { Context } from '../context.js'

interface Limit {
  readonly max: number
  readonly milliseconds: number
  readonly text: string
}

const oneAMinute: Limit = { max: 1, milliseconds: 60_000, text: 'one a minute' }

const limits = {
  'reset mail': [oneAMinute, { max: 10, milliseconds: 86_400_000, text: 'ten a day' }],
  // Has no daily limit: anyone who knows a password could lock its owner out for a day.
  'code mail': [oneAMinute],
} as const satisfies Record<string, readonly Limit[]>

type Kind = keyof typeof limits

export interface ReachedLimit {
  readonly text: string
  readonly retryAfterSeconds: number
}

/** Counts a mail to an address. Returns the limit if this mail exceeds it. */
export async function takeFromLimits(
  { backend, db, project }: Context,
  kind: Kind,
  emailKey: string,
): Promise<ReachedLimit | undefined> {
  if (project.settings.rateLimit === 'off') return undefined
  const own: readonly Limit[] = limits[kind]
  const subject = hashSubject(kind, emailKey)
  const now = backend.now(project.id).getTime()
  const expiresAt = new Date(now + Math.max(...own.map(({ milliseconds }) => milliseconds))).toISOString()
  const times = await lockAttempts(db, project.id, { subject, expiresAt })
  for (const { max, milliseconds, text } of own) {
    // Ignores mails counted before the clock was set back.
    const counted = times.filter((time) => time > now - milliseconds && time <= now)
    const oldestCounted = counted[max - 1]
    if (oldestCounted === undefined) continue
    return { text, retryAfterSeconds: Math.ceil((oldestCounted + milliseconds - now) / 1_000) }
  }
  const kept = Math.max(...own.map(({ max }) => max))
  await insertAttempts(db, project.id, [subject], { at: new Date(now).toISOString(), expiresAt, kept })
  return undefined
}

/** Resets the count, because the code was used: the mail reached the person who requested it. */
export async function clearLimits({ db, project }: Context, kind: Kind, emailKey: string): Promise<void> {
  await deleteAttempts(db, project.id, hashSubject(kind, emailKey))
}

function hashSubject(kind: Kind, emailKey: string): string {
  return createHash('sha256').update(`${kind} ${emailKey}`).digest('base64url')
}
