/**
 * Locks tables without blocking requests for long. While a statement waits for a lock of a whole table, all later
 * statements on it wait too, however short.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, DatabaseError, sql } from './port.js'
import { StartError } from './start-error.js'

export interface LockWaits {
  /** The wait of one try. Longer than `deadlock_timeout`, after which an autovacuum in the way gives up. */
  readonly tryMilliseconds: number
  /** The pause between tries, in which the statements that queued behind it run. */
  readonly pauseMilliseconds: number
  /** The total time before it gives up. */
  readonly maxMilliseconds: number
  /** Receives a message about the session in the way. */
  readonly warn: (words: string) => void
}

export const lockWaits: LockWaits = {
  tryMilliseconds: 3_000,
  pauseMilliseconds: 5_000,
  maxMilliseconds: 120_000,
  warn: () => undefined,
}

/**
 * Runs a transaction, and retries it while it cannot get a lock. The work calls `bounded` before the first statement
 * that may wait for a table.
 * @param what the work, as the beginning of a sentence
 * @throws {StartError} `DATABASE_LOCKED`, and changes nothing
 */
export async function withBoundedLocks(
  db: Database,
  what: string,
  work: (tx: Database, bounded: () => Promise<void>) => Promise<void>,
  { tryMilliseconds, pauseMilliseconds, maxMilliseconds, warn }: LockWaits,
): Promise<void> {
  const begunAt = performance.now()
  for (;;) {
    const watch = openWatch(db, tryMilliseconds / 10)
    try {
      return await db.transaction((tx) =>
        work(tx, async () => {
          await tx.query(sql`select set_config('lock_timeout', ${`${tryMilliseconds}ms`}, true)`)
          await watch.begin(tx)
        }),
      )
    } catch (error) {
      if (!(error instanceof DatabaseError && error.kind === 'locked')) throw error
      const words = `${what} waits for a table that is in use by ${await watch.inTheWay()}.`
      if (performance.now() - begunAt >= maxMilliseconds) throw given(words, error)
      warn(`${words} Retrying, so that requests do not queue behind it.`)
    } finally {
      watch.end()
    }
    await pause(pauseMilliseconds * (0.75 + Math.random() / 2))
  }
}

function given(words: string, cause: unknown): StartError {
  const hint =
    'Wait for it, or end it as an administrator of the database: `select pg_terminate_backend(…)` with its number. Then start again.'
  return new StartError('DATABASE_LOCKED', `${words} Nothing was changed.`, hint, cause)
}

interface Holder {
  readonly pid: number
  readonly application: string | null
  readonly role: string | null
  readonly state: string | null
  readonly seconds: number | null
}

/** Looks for the lock's holder while the transaction waits, because it cannot be seen later. */
function openWatch(db: Database, everyMilliseconds: number) {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> = Promise.resolve()
  let seen: readonly Holder[] = []
  return {
    async begin(tx: Database) {
      // Skips engines with one connection: nothing else can be in its way.
      if (!db.capabilities.runsTransactionsTogether) return
      const [own] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      if (!own) return
      timer = setInterval(() => {
        looking = looking.then(() => look(own.pid)).catch(() => undefined)
      }, everyMilliseconds)
    },
    async inTheWay() {
      await looking
      return seen.length === 0 ? 'another session' : seen.map(describe).join(' and ')
    },
    end: () => clearInterval(timer),
  }

  async function look(pid: number): Promise<void> {
    const holders = await db.query<Holder>(sql`
      select b.pid, a.application_name as application, a.usename::text as role, a.state,
        extract(epoch from now() - a.xact_start)::double precision as seconds
      from unnest(pg_blocking_pids(${pid}::int)) as b (pid)
      left join pg_stat_activity a on a.pid = b.pid
      order by a.xact_start nulls last`)
    if (holders.length > 0) seen = holders
  }
}

/** Leaves out the holder's query, because it may contain data. */
function describe({ pid, application, role, state, seconds }: Holder): string {
  if (pid === 0) return 'a prepared transaction (see pg_prepared_xacts)'
  const about = [
    application ? `"${application}"` : undefined,
    role ? `as ${role}` : undefined,
    state ? (seconds === null ? state : `${state}, for ${Math.round(seconds)} s`) : undefined,
  ].filter((part) => part !== undefined)
  return `process ${pid} of the database${about.length > 0 ? ` (${about.join(', ')})` : ''}`
}
