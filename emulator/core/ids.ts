import { randomBytes } from 'node:crypto'

let pool = ''
let used = 0

/** Six fresh random bytes in hexadecimal digits. */
function randomDigits(): string {
  if (used === pool.length) {
    pool = randomBytes(6 * 512).toString('hex')
    used = 0
  }
  used += 12
  return pool.slice(used - 12, used)
}

/**
 * Makes UUIDv7 text. The timestamp is exactly the moment given, and ids of one moment count upwards in the
 * order they are made, so that ordering by id is ordering by creation. Our choice: docs/decisions.
 */
export function openIds(): (at: Date) => string {
  let moment = -1
  let time = ''
  let counter = 0
  return (at) => {
    const milliseconds = at.getTime()
    if (milliseconds === moment) counter += 1
    else {
      moment = milliseconds
      const digits = milliseconds.toString(16).padStart(12, '0')
      time = `${digits.slice(0, 8)}-${digits.slice(8)}`
      // A new moment starts in the lower half of 26 bits: over 30 million ids fit into one millisecond.
      counter = Number.parseInt(randomDigits(), 16) % 0x2000000
    }
    const high = (counter >>> 14).toString(16).padStart(3, '0')
    const low = (0x8000 | (counter & 0x3fff)).toString(16)
    return `${time}-7${high}-${low}-${randomDigits()}`
  }
}
