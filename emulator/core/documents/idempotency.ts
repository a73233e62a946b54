import { plainError } from '../../../client/protocol/model/error-words.js'
import { insertAnswer, type KeptTimes, selectAnswer } from '../../store/idempotency.js'
import type { Context } from '../context.js'
import { inTransaction } from '../unit-of-work.js'

/** An answer as it was sent, so that a retry gets the same bytes. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** In pieces if it is large. */
  readonly body: string | readonly string[]
}

export interface IdempotencyKey {
  /** A hash of caller, method, path and key. */
  readonly scope: string
  readonly bodyHash: string
}

/** Whether an answer is stored for a key. Every other request with that key gets it too. */
export async function isAnswered({ backend, db, project }: Context, scope: string): Promise<boolean> {
  const kept = keptTimes(backend.now(project.id))
  return (await selectAnswer(db, { project: project.id, scope, kept })) !== undefined
}

/** How long an answer is stored. Contract 3.9. */
const keptMilliseconds = 24 * 3_600_000

/**
 * Returns the times between which a stored answer is still valid. Allows a day into the future, because clocks of processes
 * differ slightly. Anything later was stored before the clock was set back and would otherwise outlive its retention.
 */
export function keptTimes(earliest: Date, latest = earliest): KeptTimes {
  const at = (moment: Date, milliseconds: number) => new Date(moment.getTime() + milliseconds).toISOString()
  return { from: at(earliest, -keptMilliseconds), to: at(latest, keptMilliseconds) }
}

/**
 * Does the work once per key, then replays the first answer. Work and answer share one transaction, so a failure stores
 * nothing. A concurrent duplicate waits for the first request, whose answer rolls back the duplicate's work.
 *
 * @throws {SvcError} `IDEMPOTENCY_MISMATCH` if the key was used with another body
 */
export async function once(
  ctx: Context,
  { scope, bodyHash }: IdempotencyKey,
  work: (ctx: Context) => Promise<StoredAnswer>,
): Promise<{ answer: StoredAnswer; isRepeated: boolean }> {
  const now = ctx.backend.now(ctx.project.id)
  const place = { project: ctx.project.id, scope, kept: keptTimes(now) }
  try {
    const answer = await inTransaction(ctx, async (ctx) => {
      const answer = await work(ctx)
      const kept = {
        bodyHash,
        status: answer.status,
        headers: JSON.stringify(answer.headers),
        answer: [answer.body].flat().join(''),
      }
      // Not awaited: it is pipelined with the commit, and the transaction fails if it does.
      const keeping = insertAnswer(ctx.db, { ...place, at: now.toISOString() }, kept)
      keeping.catch(() => undefined)
      return answer
    })
    return { answer, isRepeated: false }
  } catch (error) {
    // Ignores the error, even a conflict with something already created: the first answer counts.
    const kept = await selectAnswer(ctx.db, place)
    if (!kept) throw error
    if (kept.bodyHash !== bodyHash) throw plainError('IDEMPOTENCY_MISMATCH')
    const answer = { status: kept.status, headers: JSON.parse(kept.headers), body: kept.answer }
    return { answer, isRepeated: true }
  }
}
