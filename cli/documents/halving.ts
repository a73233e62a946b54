import { SvcError } from '../../client/index.js'

/** Requests a page, and halves the limit while the response is too large. Returns the limit that worked. */
export async function halving<Answer>(
  limit: number,
  ask: (limit: number) => Promise<Answer>,
): Promise<readonly [Answer, number]> {
  try {
    return [await ask(limit), limit]
  } catch (error) {
    const isTooLarge = error instanceof SvcError && error.code === 'RESULT_TOO_LARGE'
    if (limit < 2 || !isTooLarge) throw error
    return halving(limit >> 1, ask)
  }
}
