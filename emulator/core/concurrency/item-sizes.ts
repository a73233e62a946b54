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
  expect(list: string, query: PageSize): number
  /** Learns from the bytes of a page, with its populated records. */
  learn(list: string, query: PageSize, page: { readonly items: number; readonly bytes: number }): void
}

type PageSize = Pick<ListQuery, 'populate' | 'limit'>

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
      const itemBytes = known.get(nameFor(list, populate))
      if (itemBytes !== undefined) return limit * itemBytes
      const ownBytes = limit * (known.get(list) ?? 0)
      return Math.max(ownBytes, Math.min(limit * unknownItemBytes, maxUnknownBytes))
    },
    learn(list, { populate }, { items, bytes }) {
      const name = nameFor(list, populate)
      // Twice the average, because the items of the next page may be larger.
      const itemBytes = Math.max(minItemBytes, known.get(name) ?? 0, Math.ceil((2 * bytes) / items) || 0)
      if (known.size >= maxLists && !known.has(name)) known.clear()
      known.set(name, itemBytes)
    },
  }
}

/** Pages with populated records are remembered apart. */
function nameFor(list: string, populate: PageSize['populate']): string {
  return populate.length > 0 ? `${list} populated` : list
}
