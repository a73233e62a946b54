/** Permissions that are revoked while events are being delivered. */
import { beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { aSubscriber, overEventStream, overWebSocket } from '../../fixtures/realtime/subscriber.js'
import { newSharedProject, type SharedProject } from '../../fixtures/shared-emulator.js'

let emulator: SharedProject
beforeAll(async () => {
  emulator = await newSharedProject('here')
})

it('contract 9.2 nothing that happens after the right to read is taken away is published', async () => {
  const owner = createClient({ url: emulator.url, apiKey: emulator.secretKey ?? '' })
  /** The number of the last change before the round. */
  let before = 0

  for (let round = 0; round < 20; round++) {
    const name = `round${round}`
    await owner.collections.create({ name })
    const target = { ...emulator, collection: name }
    const all = await Promise.all([aSubscriber(overWebSocket, target), aSubscriber(overEventStream, target)])
    const create = () => owner.collection(name).create({ round })
    await Promise.all([create(), create(), create()])
    await Promise.all(all.map(({ untilHeard }) => untilHeard(3)))
    const permissions = { read: ['nobody'], create: [], update: [], delete: [] }
    await Promise.all([
      create(),
      create(),
      owner.collections.update(name, { permissions }),
      ...Array.from({ length: 8 }, create),
    ])
    await create()
    await Promise.all(all.map(({ stop }) => stop()))

    // The change of the rights has a number of its own: after it there is a gap.
    for (const { heard } of all) {
      expect(heard.map(({ seq }) => seq - before)).toEqual(heard.map((_, at) => at + 1))
    }
    before += 3 + 2 + 1 + 8 + 1
  }
})
