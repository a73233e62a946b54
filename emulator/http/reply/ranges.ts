/** Reads which part of a file a request asks for. RFC 9110, 14. */
import type { IncomingHttpHeaders } from 'node:http'

/** The first and the last byte, both inclusive. */
export interface PartOfFile {
  readonly first: number
  readonly last: number
}

interface Ranged {
  readonly size: number
  readonly etag: string
  readonly modifiedAt: string
}

/**
 * Returns the requested part, or `nowhere` if it is outside the file. As the RFC allows, returns `whole` without a range, if
 * `if-range` doesn't match, for several ranges and for malformed ones.
 */
export function readRange(headers: IncomingHttpHeaders, file: Ranged): PartOfFile | 'whole' | 'nowhere' {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(headers.range ?? '') ?? []
  if ((from === '' && to === '') || !isSame(headers['if-range'], file)) return 'whole'
  const { size } = file
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  // A range that ends before it begins is malformed.
  if (from !== '' && to !== '' && Number(to) < first) return 'whole'
  return first < size && first <= last ? { first, last } : 'nowhere'
}

function isSame(ifRange: string | string[] | undefined, { etag, modifiedAt }: Ranged): boolean {
  if (ifRange === undefined) return true
  const text = String(ifRange)
  return text === etag || text === new Date(modifiedAt).toUTCString()
}
