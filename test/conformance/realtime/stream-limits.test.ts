/** The limits of one connection, and what it receives when it exceeds them. Contract 9.1 and 9.5. */
import { expect, test } from 'vitest'
import { openAuthenticated, openSocket } from '../../fixtures/realtime/streams.js'
import { service } from '../../fixtures/service.js'
import { aWorld, inDialects } from '../../fixtures/wires.js'

inDialects(
  'limits of streams',
  (wire) => {
    test('contract 9.1 a connection holds a hundred subscriptions; one more is refused, and the others go on', async () => {
      const { project, collection } = await aWorld(wire)
      const shelves = await Promise.all(Array.from({ length: 101 }, (_, at) => collection(`c${at}`)))
      const socket = await openAuthenticated(service.url, project.apiKey, wire.name)

      for (const { name } of shelves) socket.say({ type: 'subscribe', collection: name })
      const answers = (await socket.atLeast(102)).slice(1)
      await shelves[99]?.create({ n: 1 })

      expect(answers.slice(0, 100).map(({ type }) => type)).toEqual(Array(100).fill('subscribed'))
      expect(answers[100]).toMatchObject({ type: 'error', code: 'RATE_LIMITED', collection: 'c100' })
      expect((await socket.atLeast(103))[102]).toMatchObject({ collection: 'c99', event: 'created' })
      socket.close()
    })

    test('contract 9.1 a message of more than a megabyte closes its connection', async () => {
      const { project } = await aWorld(wire)
      const socket = await openAuthenticated(service.url, project.apiKey, wire.name)

      socket.say('x'.repeat(1024 * 1024 + 1))

      expect(await socket.closed).toBe(1009)
    })

    test('contract 9.1 who does not say who it is, is let go', async () => {
      const socket = await openSocket(service.url, wire.name)

      expect(await socket.ask({ type: 'ping' })).toEqual({ type: 'pong' })
      expect(await socket.closed).toBe(1008)
    })
  },
  ['a'],
)
