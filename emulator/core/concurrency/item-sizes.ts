/**
 * Remembers how large the items of lists are, because the size of a page is only known once it is in memory, and pages of large
 * documents are a hundred times as large as others.
 */
import type { ListQuery } from '../../../client/protocol/model/page.js'

export interface ItemSizes {
  /**
   * Returns the bytes to reserve for a page. A list of unknown size counts as small: it would otherwise leave no room for others of
   * its address.
   *
   * @param list the id of a collection or project
   */
  expect(list: string, query: Pick<ListQuery, 'populate' | 'limit'>): number
  /** Learns from a page. */
  learn(list: string, texts: readonly string[]): void
  /** Learns from a page whose links were followed. @param bytes of its items and of all records in their place */
  learnPopulated(list: string, items: number, bytes: number): void
}

const kilobyte = 1024
const minItemBytes = 16 * kilobyte
const unknownItemBytes = 64 * kilobyte
const maxUnknownBytes = 6 * 1024 * kilobyte

/** When full, everything is forgotten. */
const maxLists = 10_000

export function openItemSizes(): ItemSizes {
  const known = new Map<string, number>()

  function remember(name: string, items: number, bytes: number): void {
    // Twice the average, because the items of the next page may be larger.
    const itemBytes = Math.max(minItemBytes, known.get(name) ?? 0, Math.ceil((2 * bytes) / items) || 0)
    if (known.size >= maxLists && !known.has(name)) known.clear()
    known.set(name, itemBytes)
  }

  return {
    expect(list, { populate, limit }) {
      const itemBytes = known.get(list) ?? 0
      const wholeBytes = populate.length > 0 ? known.get(populated(list)) : known.get(list)
      if (wholeBytes !== undefined) return limit * Math.max(itemBytes, wholeBytes)
      return Math.max(limit * itemBytes, Math.min(limit * unknownItemBytes, maxUnknownBytes))
    },
    learn: (list, texts) =>
      remember(
        list,
        texts.length,
        texts.reduce((sum, { length }) => sum + length, 0),
      ),
    learnPopulated: (list, items, bytes) => remember(populated(list), items, bytes),
  }
}

const populated = (list: string) => `${list} populated`
