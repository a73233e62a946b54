/**
 * Remembers how large the items of lists are, because the size of a page is only known once it is in memory, and pages of large
 * documents are a hundred times as large as others.
 */
import { sizes } from '../../../client/protocol/model/limits.js'
import type { ListQuery } from '../../../client/protocol/model/page.js'

export interface ItemSizes {
  /**
   * Returns the bytes to reserve for a page. That is the largest possible answer for the first page of a list, and if linked records
   * are populated.
   *
   * @param list the id of a collection or project
   */
  expect(list: string, query: Pick<ListQuery, 'populate' | 'limit'>): number
  /** Learns from a page. */
  learn(list: string, texts: readonly string[]): void
}

/** Few documents are larger. */
const minItemBytes = 64 * 1024

/** When full, everything is forgotten. */
const maxLists = 10_000

export function openItemSizes(): ItemSizes {
  const known = new Map<string, number>()
  return {
    expect(list, { populate, limit }) {
      const itemBytes = known.get(list)
      return itemBytes === undefined || populate.length > 0 ? sizes.maxAnswerBytes : limit * itemBytes
    },
    learn(list, texts) {
      const bytes = texts.reduce((sum, { length }) => sum + length, 0)
      // Twice the average, because the items of the next page may be larger.
      const itemBytes = Math.max(minItemBytes, known.get(list) ?? 0, Math.ceil((2 * bytes) / texts.length) || 0)
      if (known.size >= maxLists && !known.has(list)) known.clear()
      known.set(list, itemBytes)
    },
  }
}
