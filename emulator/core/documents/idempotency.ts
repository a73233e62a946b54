import { plainError } from '../../../client/protocol/model/error-words.js'
import { insertAnswer, type KeptTimes, selectAnswer } from '../../store/idempotency.js'
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
  const kept = keptTimes(backend.now(project.id))
  return (await selectAnswer(db, { project: project.id, scope, kept })) !== undefined
}

/** How long an answer is kept. Contract 3.9. */
const keptMilliseconds = 24 * 3_600_000

/**
 * When an answer was given that is kept still. Clocks of processes differ a little; what is from a day ahead or more was given
 * before the clock was set back, and would be kept until it is there again.
 */
export function keptTimes(earliest: Date, latest = earliest): KeptTimes {
  const at = (moment: Date, milliseconds: number) => new Date(moment.getTime() + milliseconds).toISOString()
  return { from: at(earliest, -keptMilliseconds), to: at(latest, keptMilliseconds) }
}

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
      // Not waited for: it travels with the commit, and the transaction fails with it.
      const keeping = insertAnswer(ctx.db, { ...place, at: now.toISOString() }, kept)
      keeping.catch(() => undefined)
      return answer
    })
    return { answer, isRepeated: false }
  } catch (error) {
    // Whatever stood in the way now, even that the same was created already: the first answer stands.
    const kept = await selectAnswer(ctx.db, place)
    if (!kept) throw error
    if (kept.bodyHash !== bodyHash) throw plainError('IDEMPOTENCY_MISMATCH')
    const answer = { status: kept.status, headers: JSON.parse(kept.headers), body: kept.answer }
    return { answer, isRepeated: true }
  }
}
