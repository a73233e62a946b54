/** Which part of a file a request asks for. RFC 9110, 14. */
import type { IncomingHttpHeaders } from 'node:http'

/** The first and the last byte, both included. */
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
 * The part that `range` names, or that there is no such part. The whole file where nothing is asked for, where `if-range`
 * names another one, and where several parts are asked for, or in a way that cannot be read, as the RFC allows.
 */
export function readRange(headers: IncomingHttpHeaders, file: Ranged): PartOfFile | 'whole' | 'nowhere' {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(headers.range ?? '') ?? []
  if ((from === '' && to === '') || !isSame(headers['if-range'], file)) return 'whole'
  const { size } = file
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  // A part that ends before it begins cannot be read.
  if (from !== '' && to !== '' && Number(to) < first) return 'whole'
  return first < size && first <= last ? { first, last } : 'nowhere'
}

function isSame(ifRange: string | string[] | undefined, { etag, modifiedAt }: Ranged): boolean {
  if (ifRange === undefined) return true
  const text = String(ifRange)
  return text === etag || text === new Date(modifiedAt).toUTCString()
}
