import type { Path } from './path.js'
import type { Where } from './where.js'

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Number of matches on all pages; `null` if not counted. */
  readonly total: number | null
  /** Limit that the service used, which may be lower than requested. Undefined if the service does not report it. */
  readonly limit: number | undefined
  readonly offset: number
  /**
   * Sequence number of the last change in the project that the page includes. Pass it as `since` to follow the changes after
   * it. Undefined if the service does not report it: only the emulator does.
   */
  readonly seq?: number | undefined
}

export interface Sort {
  readonly path: Path
  readonly direction: 'asc' | 'desc'
  /** Sorts a field by point in time. Set only by the service. */
  readonly isTime?: true
  /** Sorts a field by its text. Set only by the service. */
  readonly asText?: true
}

/** The parts of a record to return. */
export interface RecordQuery {
  /** Paths whose ids are replaced by the records they link to. */
  readonly populate: readonly Path[]
  /** The only fields to return. Empty for all. Contract 13.4. */
  readonly select: readonly Path[]
  /** The names of the fields with the ids of a link. Default: the name itself. */
  readonly links?: LinkNames | undefined
}

/** Names the fields that may contain the ids of a link, in the order in which they are tried. */
export type LinkNames = (link: string) => readonly string[]

export const wholeRecord: RecordQuery = { populate: [], select: [] }

/** A list request in the form of the core. Default order: newest first. */
export interface ListQuery extends RecordQuery {
  readonly where: Where
  /** Later fields decide where earlier ones are equal. Empty for the default order. */
  readonly sort: readonly Sort[]
  readonly limit: number
  readonly offset: number
  readonly count: boolean
}
