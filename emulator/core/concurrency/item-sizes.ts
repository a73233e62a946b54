/**
 * Remembers how large the items of lists are, because the size of a page is only known once it is in memory, and pages of large
 * documents are a hundred times as large as others.
 */
import type { ListQuery } from '../../../client/protocol/model/page.js'

export interface ItemSizes {
  /**
   * Returns the bytes to reserve for a page. A list of unknown size, or with populated records, counts as small: it would otherwise
   * leave no room for others of its address.
   *
   * @param list the id of a collection or project
   */
  expect(list: string, query: Pick<ListQuery, 'populate' | 'limit'>): number
  /** Learns from a page. */
  learn(list: string, texts: readonly string[]): void
}

const kilobyte = 1024
const minItemBytes = 16 * kilobyte
const unknownItemBytes = 64 * kilobyte
const maxUnknownBytes = 6 * 1024 * kilobyte

/** When full, everything is forgotten. */
const maxLists = 10_000

export function openItemSizes(): ItemSizes {
  const known = new Map<string, number>()
  return {
    expect(list, { populate, limit }) {
      const knownBytes = limit * (known.get(list) ?? 0)
      if (knownBytes > 0 && populate.length === 0) return knownBytes
      return Math.max(knownBytes, Math.min(limit * unknownItemBytes, maxUnknownBytes))
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
