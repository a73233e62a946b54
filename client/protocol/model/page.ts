import type { Path } from './path.js'
import type { Where } from './where.js'

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Number of matches on all pages; `null` if not counted. */
  readonly total: number | null
  /** Limit that the service used, which may be lower than requested. Undefined if the service does not report it. */
  readonly limit: number | undefined
  readonly offset: number
}

export interface Sort {
  readonly path: Path
  readonly direction: 'asc' | 'desc'
  /** Sorts a field by point in time. Set only by the service. */
  readonly isTime?: true
}

/** A list request in the form of the core. Default order: newest first. */
export interface ListQuery {
  readonly where: Where
  readonly sort: Sort | undefined
  readonly limit: number
  readonly offset: number
  readonly count: boolean
  readonly populate: readonly Path[]
}
