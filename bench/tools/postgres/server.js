/** The PostgreSQL server of the tests, which is written in TypeScript. */
import pg from 'pg'
import { loadFixtures } from '../fixtures.js'

/**
 * @param {{ isDurable?: boolean, settings?: Record<string, string> }} [options] with fsync at each commit, as in production
 * @returns {Promise<import('../../../test/fixtures/databases/postgres.js').PostgresServer>}
 */
export async function startPostgres(options) {
  const [fixture] = await loadFixtures('databases/postgres.ts')
  return fixture.startPostgres(options)
}

/**
 * For large databases: a server with a gigabyte of memory for them, or the one that `BENCH_POSTGRES` names, whose databases are
 * kept for the next time.
 *
 * @returns {Promise<{ databaseOf: (name: string) => Promise<string>, stop: () => Promise<void> }>}
 */
export async function startLargePostgres() {
  const given = process.env.BENCH_POSTGRES
  const settings = { shared_buffers: '1GB', max_wal_size: '4GB' }
  const server = given === undefined ? await startPostgres({ isDurable: true, settings }) : undefined
  const address = new URL(server?.url ?? given ?? '')
  return {
    async databaseOf(name) {
      const client = new pg.Client({ connectionString: address.href })
      await client.connect()
      const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
      if (rowCount === 0) await client.query(`create database ${name}`)
      await client.end()
      return Object.assign(new URL(address), { pathname: name }).href
    },
    stop: async () => server?.stop(),
  }
}
