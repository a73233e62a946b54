/**
 * Reads a page of a GIN index as on disk: `PageHeaderData`, the contents, and `GinPageOpaqueData` at the end.
 * PostgreSQL's `bufpage.h`, `itemid.h`, `itup.h` and `ginblock.h` define the layout.
 */

export const pageBytes = 8_192

/** The meta page and the root of the entries are always at these blocks. */
export const fixedBlocks: readonly number[] = [0, 1]

const headerBytes = 24
const lowerAt = 12
const opaqueAt = pageBytes - 8
const none = 0xffff_ffff

const flags = { data: 1, leaf: 2, deleted: 4, meta: 8, pending: 16 } as const

/** The `t_tid` of an entry whose block is the root of its posting tree. */
const isPostingTree = 0xffff

const zeroes = Buffer.alloc(pageBytes)

/** Matches the pages that PostgreSQL takes for new ones, without checking a checksum. */
export function isZero(page: Buffer): boolean {
  return page.readUInt16LE(lowerAt) === 0 && page.equals(zeroes)
}

/** The blocks that a page links to. A deleted page may contain anything. */
export function readLinks(page: Buffer): number[] {
  const has = (flag: number) => (page.readUInt16LE(opaqueAt + 6) & flag) !== 0
  if (isZero(page) || has(flags.deleted)) return []
  return [page.readUInt32LE(opaqueAt), ...linksWithin(page, has)].filter((block) => block !== none)
}

function linksWithin(page: Buffer, has: (flag: number) => boolean): number[] {
  // The first and the last page of the pending list.
  if (has(flags.meta)) return [page.readUInt32LE(headerBytes), page.readUInt32LE(headerBytes + 4)]
  if (has(flags.pending)) return []
  if (has(flags.data)) return has(flags.leaf) ? [] : readChildren(page)
  return entryOffsets(page).flatMap((at) =>
    has(flags.leaf) && page.readUInt16LE(at + 4) !== isPostingTree ? [] : [blockAt(page, at)],
  )
}

/** `PostingItem`s, each a block and a key, after the page's right bound. */
function readChildren(page: Buffer): number[] {
  const [first, itemBytes] = [headerBytes + 8, 10]
  const count = Math.min(page.readUInt16LE(opaqueAt + 4), Math.floor((opaqueAt - first) / itemBytes))
  return Array.from({ length: count }, (_, index) => blockAt(page, first + index * itemBytes))
}

/** The offsets of the tuples in a page. */
function entryOffsets(page: Buffer): number[] {
  const end = Math.min(page.readUInt16LE(lowerAt), opaqueAt)
  const count = Math.max(0, Math.floor((end - headerBytes) / 4))
  const offsets = Array.from({ length: count }, (_, index) => page.readUInt32LE(headerBytes + index * 4) & 0x7fff)
  return offsets.filter((at) => at >= headerBytes && at + 8 <= opaqueAt)
}

/** A block number consists of two halves, the high one first. */
function blockAt(page: Buffer, at: number): number {
  return page.readUInt16LE(at) * 0x1_0000 + page.readUInt16LE(at + 2)
}
