/** The port that counts requests against limits within time windows, for all processes together. */

/** A share of a window for one process. */
export interface Reservation {
  /** The subject of the limit: a key and its window's name, or an address. */
  readonly name: string
  /** The number of the window. Each number starts a new count. */
  readonly window: number
  /** The length of a window, in seconds. */
  readonly seconds: number
  /** The limit for all processes together. */
  readonly most: number
  readonly requested: number
}

export interface Reserved {
  /** The number that was requested, or what was left of it; 0 if nothing was. */
  readonly granted: number
  /** The total that all processes have reserved of the window, including this. */
  readonly reserved: number
}

export interface Limits {
  /** The size of the next reservation. A single process does not need to reserve ahead. */
  sliceSize(left: number): number
  /** Never grants more than `most` of one window in total. @throws {DatabaseError} */
  reserve(reservation: Reservation): Promise<Reserved>
}
