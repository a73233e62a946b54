/** The client's cases in Node, on each engine. */
import { describe, it } from 'vitest'
import { WebSocket } from 'ws'
import { aProject, service } from '../fixtures/service.js'
import { allCases, openWorld } from './cases.js'

const dialects = process.env.SVC_TEST_ONE_DIALECT === '1' ? ['auto'] : ['a', 'b', 'c', 'auto']

describe.each(dialects)('the client in dialect %s', (dialect) => {
  for (const [title, run] of Object.entries(allCases)) {
    it(title, async () => {
      const { apiKey, secretKey } = await aProject()

      await run(await openWorld({ url: service.url, apiKey, dialect, WebSocket }, secretKey))
    })
  }
})
