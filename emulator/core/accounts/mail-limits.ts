/** How many mails of a kind an address gets where the project limits its rate. Contract 6.8. */
import { createHash } from 'node:crypto'
import { deleteAttempts, insertAttempts, lockAttempts } from '../../store/accounts/recent-attempts.js'
import type { Context } from '../context.js'

interface Limit {
  readonly most: number
  readonly milliseconds: number
  readonly words: string
}

const oneAMinute: Limit = { most: 1, milliseconds: 60_000, words: 'one a minute' }

const limits = {
  'reset mail': [oneAMinute, { most: 10, milliseconds: 86_400_000, words: 'ten a day' }],
  // None for a day: whoever knows a password could keep its owner from logging in for as long.
  'code mail': [oneAMinute],
} as const satisfies Record<string, readonly Limit[]>

type Kind = keyof typeof limits

export interface ReachedLimit {
  readonly words: string
  readonly retryAfterSeconds: number
}

/** Counts a mail to an address; where it is one too many, the limit that is reached. */
export async function takeFromLimits(
  { backend, db, project }: Context,
  kind: Kind,
  emailKey: string,
): Promise<ReachedLimit | undefined> {
  if (project.settings.rateLimit === 'off') return undefined
  const own: readonly Limit[] = limits[kind]
  const subject = subjectOf(kind, emailKey)
  const now = backend.now(project.id).getTime()
  const expiresAt = new Date(now + Math.max(...own.map(({ milliseconds }) => milliseconds))).toISOString()
  const times = await lockAttempts(db, project.id, { subject, expiresAt })
  for (const { most, milliseconds, words } of own) {
    // What was counted before the clock was set back counts no more.
    const counted = times.filter((time) => time > now - milliseconds && time <= now)
    const firstOfMost = counted[most - 1]
    if (firstOfMost === undefined) continue
    return { words, retryAfterSeconds: Math.ceil((firstOfMost + milliseconds - now) / 1_000) }
  }
  const kept = Math.max(...own.map(({ most }) => most))
  await insertAttempts(db, project.id, [subject], { at: new Date(now).toISOString(), expiresAt, kept })
  return undefined
}

/** The mail was answered: it went to who asked for it. */
export async function clearLimits({ db, project }: Context, kind: Kind, emailKey: string): Promise<void> {
  await deleteAttempts(db, project.id, subjectOf(kind, emailKey))
}

function subjectOf(kind: Kind, emailKey: string): string {
  return createHash('sha256').update(`${kind} ${emailKey}`).digest('base64url')
}
