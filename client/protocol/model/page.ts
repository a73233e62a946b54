import type { Path } from './path.js'
import type { Where } from './where.js'

export interface Page<Item> {
  readonly items: readonly Item[]
  /** All matches, not the page; `null` when they were not counted. */
  readonly total: number | null
  /** The limit that was used: the service's most, if more was asked for. Some services tell none beside an array. */
  readonly limit: number | undefined
  readonly offset: number
}

export interface Sort {
  readonly path: Path
  readonly direction: 'asc' | 'desc'
  /** Whether a field of the data is ordered by point in time; only the service sets it. */
  readonly isTime?: true
}

/** One list request, in the core's form. Without `sort`: newest first. */
export interface ListQuery {
  readonly where: Where
  readonly sort: Sort | undefined
  readonly limit: number
  readonly offset: number
  readonly count: boolean
  readonly populate: readonly Path[]
}
