import { SvcError } from '../../client/index.js'

/** Asks for a page, and for half of it as long as the answer would be too large; which limit it was in the end. */
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
