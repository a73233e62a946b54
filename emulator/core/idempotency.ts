import { SvcError } from '../../client/model/errors.js'
import { claimKey, selectAnswer, writeAnswer } from '../store/idempotency.js'
import { type Context, inTransaction } from './context.js'

/** An answer as it goes out, so that it can be given again to the letter. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface IdempotencyKey {
  /** A hash of caller, method, path and key. */
  readonly scope: string
  readonly bodyHash: string
}

/** How long an answer is kept. Contract 3.9. */
export const keptMilliseconds = 24 * 3_600_000

/**
 * Does the work once for a key and answers its first answer ever after. Key, work and answer are one transaction:
 * a failure keeps nothing, and a duplicate that arrives meanwhile waits for the first.
 *
 * @throws {SvcError} `IDEMPOTENCY_MISMATCH` if the key came with another body before.
 */
export async function once(
  ctx: Context,
  { scope, bodyHash }: IdempotencyKey,
  work: (ctx: Context) => Promise<Answer>,
): Promise<Answer> {
  const now = ctx.backend.now()
  const expired = new Date(now.getTime() - keptMilliseconds).toISOString()
  return inTransaction(ctx, async (ctx) => {
    if (await claimKey(ctx.db, ctx.project.id, scope, bodyHash, now.toISOString(), expired)) {
      const answer = await work(ctx)
      await writeAnswer(ctx.db, ctx.project.id, scope, {
        status: answer.status,
        headers: JSON.stringify(answer.headers),
        answer: answer.body,
      })
      return answer
    }
    const kept = await selectAnswer(ctx.db, ctx.project.id, scope)
    if (!kept) throw new SvcError('UNAVAILABLE')
    if (kept.bodyHash !== bodyHash) throw new SvcError('IDEMPOTENCY_MISMATCH')
    return { status: kept.status, headers: JSON.parse(kept.headers), body: kept.answer }
  })
}
