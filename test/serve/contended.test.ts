/** Writers that contend on several `svc serve`, of which one after the other is killed. `npm run full` kills more often. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type ContendingClient,
  contendingClient,
  createContended,
  nothingWrong,
  openContention,
} from '../fixtures/kills/contended-writes.js'
import { isFull } from '../fixtures/scope.js'
import { openServeWorld, type ServeWorld, type Serving } from '../fixtures/serve.js'

const kills = isFull ? 12 : 1

let world: ServeWorld
beforeAll(async () => {
  world = await openServeWorld()
})
afterAll(() => world.close())

it('contract 13.2, 13.3 lets no two documents have a value, and no link dangle', async () => {
  const members: { serving: Serving; client: ContendingClient }[] = []
  const first = await world.start()
  const { secretKey: apiKey } = await first.newProject()
  const join = (serving: Serving) => members.push({ serving, client: contendingClient({ url: serving.url, apiKey }) })
  join(first)
  for (const serving of await Promise.all([world.start(), world.start()])) join(serving)
  const clients = () => members.map(({ client }) => client)
  const [client] = clients()
  if (!client) throw new Error('No process has started.')
  await createContended(client)
  const contention = openContention()

  const stop = contention.start(clients)
  for (let kill = 0; kill < kills; kill++) {
    const { deleteBoard = 0 } = contention.acknowledged
    await expect.poll(() => contention.acknowledged.deleteBoard ?? 0).toBeGreaterThan(deleteBoard + 15)
    const killed = members.shift()
    killed?.serving.signal('SIGKILL')
    await killed?.serving.ended
    join(await world.start())
  }
  const met = ['DUPLICATE_VALUE', 'DOCUMENT_IN_USE', 'NETWORK']
  await expect.poll(() => Object.keys(contention.refused)).toEqual(expect.arrayContaining(met))
  await stop()

  const survivor = clients()[0] ?? client
  expect(await contention.find(survivor)).toEqual(nothingWrong)
})
