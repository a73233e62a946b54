import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(4096)
let used = pool.length

/** Six fresh random bytes as one number. */
function random48(): number {
  if (used + 6 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 6
  return pool.readUIntBE(used - 6, 6)
}

/**
 * Makes UUIDv7 text. The timestamp is exactly the moment given, and ids of one moment count upwards in the
 * order they are made, so that ordering by id is ordering by creation. Our choice: docs/decisions.
 */
export function openIds(): (at: Date) => string {
  let moment = -1
  let counter = 0
  return (at) => {
    const milliseconds = at.getTime()
    // A new moment starts in the lower half of 26 bits: over 30 million ids fit into one millisecond.
    counter = milliseconds === moment ? counter + 1 : random48() % 0x2000000
    moment = milliseconds
    const time = milliseconds.toString(16).padStart(12, '0')
    const high = (counter >>> 14).toString(16).padStart(3, '0')
    const low = (0x8000 | (counter & 0x3fff)).toString(16)
    const rest = random48().toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${low}-${rest}`
  }
}

/** Whether a text could be an id at all; what could not is simply not found. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}
