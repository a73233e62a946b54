import type { Database } from '../../database/port.js'
import { upsertReservations } from '../../store/rate-windows.js'
import type { Limits, Reservation, Reserved } from './port.js'

/** Divides what is left, so that reservations get smaller near the limit. */
const partAtOnce = 8
const maxAtOnce = 1_000

interface Waiting {
  readonly reservation: Reservation
  resolve(reserved: Reserved): void
  reject(error: unknown): void
}

/** Serves several processes on one database. Batches reservations that arrive while a statement is running. */
export function openPostgresLimits(db: Database): Limits {
  let waiting: Waiting[] = []
  let isSending = false

  async function sendAll(): Promise<void> {
    if (isSending) return
    isSending = true
    while (waiting.length > 0) {
      const [batch, rest] = distinct(waiting)
      waiting = rest
      await send(db, batch)
    }
    isSending = false
  }

  return {
    sliceSize: (left) => Math.min(Math.ceil(left / partAtOnce), maxAtOnce),
    reserve: (reservation) =>
      new Promise((resolve, reject) => {
        waiting.push({ reservation, resolve, reject })
        void sendAll()
      }),
  }
}

async function send(db: Database, batch: readonly Waiting[]): Promise<void> {
  try {
    const rows = await upsertReservations(
      db,
      batch.map(({ reservation }) => reservation),
    )
    for (const { reservation, resolve, reject } of batch) {
      const row = rows.get(windowKey(reservation))
      if (row) resolve(row)
      else reject(new Error('The database returned no row for a reservation.'))
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}

/** A statement can update each row once, so a second reservation of a window waits for the next statement. */
function distinct(all: readonly Waiting[]): [Waiting[], Waiting[]] {
  const seen = new Set<string>()
  const batch: Waiting[] = []
  const rest: Waiting[] = []
  for (const one of all) {
    const key = windowKey(one.reservation)
    if (seen.has(key)) rest.push(one)
    else batch.push(one)
    seen.add(key)
  }
  return [batch, rest]
}

const windowKey = ({ name, window }: Reservation) => `${window} ${name}`
