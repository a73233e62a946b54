import { plainError } from '../../../client/protocol/model/error-words.js'
import { insertAnswer, selectAnswer } from '../../store/idempotency.js'
import type { Context } from '../context.js'
import { inTransaction } from '../unit-of-work.js'

/** An answer as it goes out, so that it can be given again to the letter. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Its text: in pieces where it is large. */
  readonly body: string | readonly string[]
}

export interface IdempotencyKey {
  /** A hash of caller, method, path and key. */
  readonly scope: string
  readonly bodyHash: string
}

/** Whether a key has an answer, which any other request with it gets, too. */
export async function isAnswered({ backend, db, project }: Context, scope: string): Promise<boolean> {
  const expired = expiredAt(backend.now(project.id))
  return (await selectAnswer(db, { project: project.id, scope, expired })) !== undefined
}

/** How long an answer is kept. Contract 3.9. */
export const keptMilliseconds = 24 * 3_600_000

/**
 * Does the work once for a key and answers its first answer ever after. Work and answer are one transaction: a failure keeps
 * nothing, and a duplicate that arrives meanwhile waits for the first, whose answer undoes what the duplicate did.
 *
 * @throws {SvcError} `IDEMPOTENCY_MISMATCH` if the key came with another body before.
 */
export async function once(
  ctx: Context,
  { scope, bodyHash }: IdempotencyKey,
  work: (ctx: Context) => Promise<StoredAnswer>,
): Promise<{ answer: StoredAnswer; isRepeated: boolean }> {
  const now = ctx.backend.now(ctx.project.id)
  const expired = expiredAt(now)
  try {
    const answer = await inTransaction(ctx, async (ctx) => {
      const answer = await work(ctx)
      const kept = {
        bodyHash,
        status: answer.status,
        headers: JSON.stringify(answer.headers),
        answer: [answer.body].flat().join(''),
      }
      // Not waited for: it travels with the commit, and the transaction fails with it.
      const keeping = insertAnswer(ctx.db, { project: ctx.project.id, scope, at: now.toISOString(), expired }, kept)
      keeping.catch(() => undefined)
      return answer
    })
    return { answer, isRepeated: false }
  } catch (error) {
    // Whatever stood in the way now, even that the same was created already: the first answer stands.
    const kept = await selectAnswer(ctx.db, { project: ctx.project.id, scope, expired })
    if (!kept) throw error
    if (kept.bodyHash !== bodyHash) throw plainError('IDEMPOTENCY_MISMATCH')
    const answer = { status: kept.status, headers: JSON.parse(kept.headers), body: kept.answer }
    return { answer, isRepeated: true }
  }
}

function expiredAt(now: Date): string {
  return new Date(now.getTime() - keptMilliseconds).toISOString()
}
