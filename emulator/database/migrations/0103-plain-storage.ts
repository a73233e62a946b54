/** Stores large documents without compression. Decision 69. */
import { sql } from '../port.js'

export const plainStorage = {
  number: 103,
  name: 'plain-storage',
  statements: [
    // Compression takes half of the time that a batch of 10 MB holds the embedded database, and the size of a compressed document is
    // unknown until it is read.
    sql`alter table documents alter column data set storage external`,
  ],
}
