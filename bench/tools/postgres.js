/** Starts the tests' PostgreSQL server, which is written in TypeScript. */
import { createViteServer } from 'vitest/node'
import { root } from './child.js'

/** @returns {Promise<import('../../test/fixtures/databases/postgres.js').PostgresServer>} */
export async function startPostgres() {
  const vite = await createViteServer({
    root,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, watch: null, ws: false },
  })
  try {
    const { startPostgres: start } = await vite.ssrLoadModule('/test/fixtures/databases/postgres.ts')
    return await start()
  } finally {
    await vite.close()
  }
}
