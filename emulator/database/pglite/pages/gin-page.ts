/**
 * A page of a GIN index as it is on disk: `PageHeaderData`, then what the page holds, and at its end `GinPageOpaqueData`.
 * PostgreSQL's `bufpage.h`, `itemid.h`, `itup.h` and `ginblock.h` have the layout.
 */

export const pageBytes = 8_192

/** The meta page and the root of the entries are always at these blocks. */
export const fixedBlocks: readonly number[] = [0, 1]

const headerBytes = 24
const lowerAt = 12
const opaqueAt = pageBytes - 8
const none = 0xffff_ffff

const flags = { data: 1, leaf: 2, deleted: 4, meta: 8, pending: 16 } as const

/** What a `t_tid` has where the block of an entry is the root of its posting tree. */
const isPostingTree = 0xffff

const zeroes = Buffer.alloc(pageBytes)

/** What PostgreSQL takes for a new page, without looking at a checksum. */
export function isZero(page: Buffer): boolean {
  return page.readUInt16LE(lowerAt) === 0 && page.equals(zeroes)
}

/** The blocks that a page points to; a deleted page may point to anything. */
export function linksOf(page: Buffer): number[] {
  const has = (flag: number) => (page.readUInt16LE(opaqueAt + 6) & flag) !== 0
  if (isZero(page) || has(flags.deleted)) return []
  return [page.readUInt32LE(opaqueAt), ...linksWithin(page, has)].filter((block) => block !== none)
}

function linksWithin(page: Buffer, has: (flag: number) => boolean): number[] {
  // The first and the last page of what waits to be put in its place.
  if (has(flags.meta)) return [page.readUInt32LE(headerBytes), page.readUInt32LE(headerBytes + 4)]
  if (has(flags.pending)) return []
  if (has(flags.data)) return has(flags.leaf) ? [] : childrenOf(page)
  return entriesOf(page).flatMap((at) =>
    has(flags.leaf) && page.readUInt16LE(at + 4) !== isPostingTree ? [] : [blockAt(page, at)],
  )
}

/** `PostingItem`s, each a block and a key, after the page's right bound. */
function childrenOf(page: Buffer): number[] {
  const [first, itemBytes] = [headerBytes + 8, 10]
  const count = Math.min(page.readUInt16LE(opaqueAt + 4), Math.floor((opaqueAt - first) / itemBytes))
  return Array.from({ length: count }, (_, index) => blockAt(page, first + index * itemBytes))
}

/** Where the tuples of a page begin. */
function entriesOf(page: Buffer): number[] {
  const end = Math.min(page.readUInt16LE(lowerAt), opaqueAt)
  const count = Math.max(0, Math.floor((end - headerBytes) / 4))
  const offsets = Array.from({ length: count }, (_, index) => page.readUInt32LE(headerBytes + index * 4) & 0x7fff)
  return offsets.filter((at) => at >= headerBytes && at + 8 <= opaqueAt)
}

/** A block number is two halves, the high one first. */
function blockAt(page: Buffer, at: number): number {
  return page.readUInt16LE(at) * 0x1_0000 + page.readUInt16LE(at + 2)
}
