/** The port that counts what a limit allows within windows of time, for all processes together. */

/** Some of what a window has left, for one process. */
export interface Reservation {
  /** What is limited: a key and its window's name, or an address. */
  readonly name: string
  /** Which window: it begins with each number anew. */
  readonly window: number
  /** How long a window is. */
  readonly seconds: number
  /** What all processes together may reserve of it. */
  readonly most: number
  readonly wished: number
}

export interface Reserved {
  /** As many as were wished, or what was left; 0 once nothing is. */
  readonly granted: number
  /** What all processes have reserved of that window by now, with this. */
  readonly reserved: number
}

export interface Limits {
  /** How much is reserved at once of so much that is left: a process that is alone need not reserve ahead. */
  sliceOf(left: number): number
  /** Of one window, never more than `most` is granted in all. @throws {DatabaseError} */
  reserve(reservation: Reservation): Promise<Reserved>
}
