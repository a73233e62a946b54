/** Reading from servers that follow the primary, as far as they have come. */
import type pg from 'pg'
import { type Database, DatabaseError, type Sql, type Standby } from '../port.js'
import { type Address, serversOf } from './addresses.js'
import { connectFrom } from './connect.js'
import { refuse } from './failures.js'
import { openPool } from './primary.js'
import { connectionOptions, sessionSettings } from './session-settings.js'
import { newPreparing, onConnection, type Preparing, runOn } from './statements.js'

const checkMilliseconds = 1_000

/** What is further behind than this is left out. */
const mostLagMilliseconds = 10_000

/** So many of the primary's places are known, which is ten minutes at least. */
const mostPositions = 600

/** How far a standby had come. */
interface Standing {
  readonly replayed: bigint
  readonly at: number
}

/** One name. Several standbys may be behind it, so that each connection has a standing of its own. */
interface Follower {
  /** Its name and port. */
  readonly host: string
  readonly pool: pg.Pool
  readonly preparing: Preparing
  readonly standings: WeakMap<pg.PoolClient, Standing>
  /** How far any of them had come. */
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
      standings: new WeakMap(),
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
    async reading(after, instead) {
      const least = after === undefined ? 0n : readPosition(after)
      if (least === undefined) return undefined
      const follower = nextFollower(state)
      if (!follower) return undefined
      if (follower.replayed < least) await check(state, follower)
      return follower.isUp && follower.replayed >= least ? over(state, follower, { least, instead }) : undefined
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
  const { positions } = state
  const at = performance.now()
  const latest = readPosition(await position().catch(() => ''))
  if (latest !== undefined) {
    // A standby that was promoted need not have all that the former primary had.
    while (latest < (positions.at(-1)?.position ?? 0n)) positions.pop()
    if (latest !== positions.at(-1)?.position) positions.push({ position: latest, at })
    positions.splice(0, positions.length - mostPositions)
  }
  await Promise.all(state.followers.map((follower) => check(state, follower)))
}

/** Asks how far it has come, by any connection; concurrent callers share one answer. */
function check(state: State, follower: Follower): Promise<void> {
  follower.checking ??= checkOnce(state, follower)
    .then(
      () => note(state, follower),
      (error: Error) => note(state, follower, error),
    )
    .finally(() => {
      follower.checking = undefined
    })
  return follower.checking
}

async function checkOnce(state: State, follower: Follower): Promise<void> {
  const client = await connectFrom(follower.pool)
  await onConnection(client, async (close) => {
    const standing = await askStanding(follower, client)
    follower.lagMilliseconds = lagOf(state, standing)
    if (!isNear(follower.lagMilliseconds)) close()
  })
}

/** The age of the oldest place that it has not reached. */
function lagOf({ positions }: State, { replayed }: Standing): number {
  const missing = positions.find(({ position }) => position > replayed)
  return missing ? performance.now() - missing.at : 0
}

/** Whether it answered, which is said when it is otherwise than before. */
function note(state: State, follower: Follower, failure?: Error): void {
  follower.isUp = failure === undefined
  if (follower.saidUp === follower.isUp || state.isClosed) return
  follower.saidUp = follower.isUp
  const what = failure ? `does not answer, so the primary is read instead: ${failure.message}` : 'answers again'
  state.warn(`The standby ${follower.host} ${what}`)
}

async function askStanding(follower: Follower, client: pg.PoolClient): Promise<Standing> {
  const at = performance.now()
  const query = {
    text: `select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end)::text as position`,
    query_timeout: 3 * checkMilliseconds,
  }
  const { rows } = await client.query<{ position: string }>(query)
  const standing = { replayed: readPosition(rows[0]?.position ?? '') ?? 0n, at }
  follower.standings.set(client, standing)
  if (standing.replayed > follower.replayed) follower.replayed = standing.replayed
  return standing
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

interface Over {
  /** Which place in the primary's log it has to have reached. */
  readonly least: bigint
  readonly instead: Database['query']
}

/** Single statements on a standby; what fails there for its own sake is asked of the primary. */
function over(state: State, follower: Follower, { least, instead }: Over): Database {
  return {
    ...state.primary,
    async query<Row>(statement: Sql): Promise<Row[]> {
      try {
        const rows = await runOnFollower(state, follower, least, statement)
        if (rows) return rows as Row[]
      } catch (error) {
        if (!(error instanceof DatabaseError) || isOfStatement(error)) throw error
        if (error.kind === 'unavailable' && error.sqlState !== '25006') follower.isUp = false
      }
      return instead<Row>(statement)
    },
  }
}

/** Nothing where the standby that the connection leads to has not come so far. One that had, has still. */
async function runOnFollower(
  state: State,
  follower: Follower,
  least: bigint,
  statement: Sql,
): Promise<unknown[] | undefined> {
  const client = await connectFrom(follower.pool).catch(refuse)
  return onConnection(client, async (close) => {
    const known = follower.standings.get(client)
    const isFresh = known && performance.now() - known.at < checkMilliseconds
    const standing = isFresh && known.replayed >= least ? known : await askStanding(follower, client).catch(refuse)
    // The next connection may lead to another standby behind the same name.
    if (!isNear(lagOf(state, standing))) close()
    else if (standing.replayed >= least) return runOn(client, follower.preparing, statement)
    return undefined
  })
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
