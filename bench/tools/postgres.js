/** The PostgreSQL server of the tests, which is written in TypeScript. */
import { createViteServer } from 'vitest/node'
import { root } from './child.js'

/**
 * @param {{ isDurable?: boolean }} [options] it waits for the disk with each commit, as in production
 * @returns {Promise<import('../../test/fixtures/databases/postgres.js').PostgresServer>}
 */
export async function startPostgres(options) {
  const vite = await createViteServer({
    root,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, watch: null, ws: false },
  })
  try {
    const fixture = await vite.ssrLoadModule('/test/fixtures/databases/postgres.ts')
    return await fixture.startPostgres(options)
  } finally {
    await vite.close()
  }
}
