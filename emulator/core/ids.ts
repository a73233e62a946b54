import { randomBytes } from 'node:crypto'

let pool = ''
let used = 0

/** Generates six random bytes as hexadecimal digits. */
function randomDigits(): string {
  if (used === pool.length) {
    pool = randomBytes(6 * 512).toString('hex')
    used = 0
  }
  used += 12
  return pool.slice(used - 12, used)
}

const half = 0x2000000

function randomCounter(): number {
  return Number.parseInt(randomDigits(), 16) % half
}

/**
 * Generates UUIDv7 text with the exact given time. Ids of the same time are in ascending order, so sorting by id is
 * sorting by creation. Chosen by us: docs/decisions.
 */
export function openIds(): (at: Date) => string {
  let moment = -1
  let time = ''
  let counter = randomCounter()
  return (at) => {
    const milliseconds = at.getTime()
    counter += 1
    if (milliseconds !== moment) {
      moment = milliseconds
      const digits = milliseconds.toString(16).padStart(12, '0')
      time = `${digits.slice(0, 8)}-${digits.slice(8)}`
      // Continues the counter, because projects with separate clocks take turns. A moment that starts in the lower half
      // of 26 bits has room for over 30 million ids.
      if (counter >= half) counter = randomCounter()
    }
    const high = (counter >>> 14).toString(16).padStart(3, '0')
    const low = (0x8000 | (counter & 0x3fff)).toString(16)
    return `${time}-7${high}-${low}-${randomDigits()}`
  }
}
