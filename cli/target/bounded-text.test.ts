import { expect, it } from 'vitest'
import { boundedText } from './bounded-text.js'

it('reads no more of an answer than 256 MB, and fails', async () => {
  const piece = Buffer.alloc(32 * 1024 * 1024, 'a')
  let taken = 0
  async function* answer() {
    for (; taken < 20; taken++) yield piece
  }

  await expect(boundedText(answer())).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })

  expect(taken).toBe(8)
})
