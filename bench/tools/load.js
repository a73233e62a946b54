import { startContender } from './child.js'

/** @typedef {import('../load.js').Load} Load @typedef {import('../load.js').Result} Result */

/**
 * Starts the load generator. Rejects a run with any response other than 2xx.
 *
 * @returns {Promise<{ drive: (load: Load) => Promise<Result>, stop: () => Promise<void> }>}
 */
export async function startLoad() {
  const generator = await startContender('load.js')
  return {
    async drive(load) {
      const result = /** @type {Result} */ (await generator.ask(load))
      if (result.failed > 0) throw new Error(`${result.failed} requests failed: ${JSON.stringify(load.asks[0])}`)
      return result
    },
    stop: generator.stop,
  }
}
