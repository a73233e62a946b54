/** Fixtures of the tests, which are written in TypeScript. */
import { createViteServer } from 'vitest/node'
import { root } from './child.js'

/** Their modules, by paths below `test/fixtures`. @param {string[]} paths @returns {Promise<any>} */
export async function loadFixtures(...paths) {
  const vite = await createViteServer({
    root,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, watch: null, ws: false },
  })
  try {
    return await Promise.all(paths.map((path) => vite.ssrLoadModule(`/test/fixtures/${path}`)))
  } finally {
    await vite.close()
  }
}
