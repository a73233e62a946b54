/** Reading from servers that follow the primary, as far as they have come. */
import type pg from 'pg'
import { type Database, DatabaseError, type Sql, type Standby } from '../port.js'
import { type Address, serversOf } from './addresses.js'
import { openPool } from './primary.js'
import { connectionOptions, sessionSettings } from './session-settings.js'
import { newPreparing, type Preparing, runOn } from './statements.js'

const checkMilliseconds = 1_000

/** What is further behind than this is left out. */
const mostLagMilliseconds = 10_000

interface Follower {
  /** Its name and port. */
  readonly host: string
  readonly pool: pg.Pool
  readonly preparing: Preparing
  replayed: bigint
  isUp: boolean
  /** What was said of it last: nothing, so long as it answers. */
  saidUp: boolean
  lagMilliseconds: number
  checking: Promise<void> | undefined
}

interface State {
  readonly primary: Database
  readonly followers: readonly Follower[]
  /** Where the primary's log ended, and when. */
  readonly positions: { readonly position: bigint; readonly at: number }[]
  readonly warn: (message: string) => void
  turn: number
  isClosed: boolean
}

interface Options {
  readonly url: Address
  readonly primary: Database
  readonly mostConnections: number
  readonly mostStatementMilliseconds: number
  /** Receives that one does not answer, and that it answers again. */
  readonly warn: (message: string) => void
}

/** A standby that is not there is looked for again every second; a start does not wait for it. */
export function openStandby({ url, primary, mostConnections, mostStatementMilliseconds, warn }: Options): Standby {
  const settings = { ...sessionSettings, statement_timeout: mostStatementMilliseconds }
  const options = connectionOptions(settings)
  const state: State = {
    primary,
    followers: serversOf(url, '--database-read-url').map((server) => ({
      host: new URL(server.address).host,
      pool: openPool(server, { mostConnections, options }),
      preparing: newPreparing(mostStatementMilliseconds),
      ...{ replayed: 0n, isUp: false, saidUp: true, lagMilliseconds: Number.POSITIVE_INFINITY, checking: undefined },
    })),
    positions: [],
    warn,
    turn: 0,
    isClosed: false,
  }
  const position = coalesced(() => selectPosition(primary))
  const timer = setInterval(() => void look(state, position), checkMilliseconds)
  timer.unref()
  void look(state, position)

  return {
    async reading(after) {
      const least = after === undefined ? 0n : readPosition(after)
      if (least === undefined) return undefined
      const follower = nextFollower(state)
      if (!follower) return undefined
      if (follower.replayed < least) await check(state, follower)
      return follower.isUp && follower.replayed >= least ? over(state, follower) : undefined
    },
    position,
    standing: () =>
      state.followers.map(({ isUp, lagMilliseconds }) => ({ isUp, isNear: isNear(lagMilliseconds), lagMilliseconds })),
    async close() {
      clearInterval(timer)
      state.isClosed = true
      await Promise.all(state.followers.map(({ pool }) => pool.end()))
    },
  }
}

const isNear = (lagMilliseconds: number) => lagMilliseconds <= mostLagMilliseconds

/** In turns, those that are up and near enough. */
function nextFollower(state: State): Follower | undefined {
  const good = state.followers.filter(({ isUp, lagMilliseconds }) => isUp && isNear(lagMilliseconds))
  return good[state.turn++ % Math.max(1, good.length)]
}

/** While the primary does not answer, what standbys have is as new as anything is. */
async function look(state: State, position: () => Promise<string>): Promise<void> {
  const at = performance.now()
  const latest = readPosition(await position().catch(() => ''))
  if (latest !== undefined) state.positions.push({ position: latest, at })
  await Promise.all(state.followers.map((follower) => check(state, follower)))
  const passed = state.positions.findLastIndex(({ position: one }) => state.followers.every((f) => f.replayed >= one))
  state.positions.splice(0, Math.max(passed, state.positions.length - 600))
}

/** Asks how far it has come; concurrent callers share one answer. */
function check(state: State, follower: Follower): Promise<void> {
  follower.checking ??= askPosition(follower.pool)
    .then(
      (replayed) => {
        follower.replayed = replayed
        note(state, follower)
        const missing = state.positions.find(({ position }) => position > replayed)
        follower.lagMilliseconds = missing ? performance.now() - missing.at : 0
      },
      (error: Error) => note(state, follower, error),
    )
    .finally(() => {
      follower.checking = undefined
    })
  return follower.checking
}

/** Whether it answered, which is said when it is otherwise than before. */
function note(state: State, follower: Follower, failure?: Error): void {
  follower.isUp = failure === undefined
  if (follower.saidUp === follower.isUp || state.isClosed) return
  follower.saidUp = follower.isUp
  const what = failure ? `does not answer, so the primary is read instead: ${failure.message}` : 'answers again'
  state.warn(`The standby ${follower.host} ${what}`)
}

async function askPosition(pool: pg.Pool): Promise<bigint> {
  const query = {
    text: `select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end)::text as position`,
    query_timeout: 3 * checkMilliseconds,
  }
  const { rows } = await pool.query<{ position: string }>(query)
  return readPosition(rows[0]?.position ?? '') ?? 0n
}

async function selectPosition(primary: Database): Promise<string> {
  const [row] = await primary.query<{ position: string }>({
    text: 'select pg_current_wal_lsn()::text as position',
    values: [],
  })
  return row?.position ?? ''
}

/** A place in the log, as two numbers of 32 bits; nothing if it is none. */
function readPosition(text: string): bigint | undefined {
  const [, high, low] = /^([0-9a-f]{1,8})\/([0-9a-f]{1,8})$/i.exec(text) ?? []
  return high === undefined || low === undefined ? undefined : (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/** Single statements on a standby; what fails there for its own sake is asked of the primary. */
function over(state: State, follower: Follower): Database {
  const { primary } = state
  return {
    ...primary,
    async query<Row>(statement: Sql): Promise<Row[]> {
      try {
        return (await runOn(follower.pool, follower.preparing, statement)) as Row[]
      } catch (error) {
        if (!(error instanceof DatabaseError) || isOfStatement(error)) throw error
        if (error.kind === 'unavailable' && error.sqlState !== '25006') follower.isUp = false
        return primary.query<Row>(statement)
      }
    },
  }
}

/** The primary would take as long, and answer as much. */
function isOfStatement({ kind }: DatabaseError): boolean {
  return kind === 'timeout' || kind === 'result too large'
}

/** Callers that come while a query is running share the next one, which begins after they asked. */
function coalesced<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<unknown> | undefined
  let next: Promise<Value> | undefined
  const begin = () => {
    next = undefined
    const asked = ask()
    running = asked
      .catch(() => undefined)
      .finally(() => {
        if (!next) running = undefined
      })
    return asked
  }
  return () => {
    if (!running) return begin()
    next ??= running.then(begin)
    return next
  }
}
