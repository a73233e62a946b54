import { expect, test } from 'vitest'
import type { Database } from '../database/port.js'
import type { Bus } from '../ports/bus/port.js'
import type { Happened } from './events/event-log.js'
import { happened, identityChanged, inTransaction, publish, publishing, unitOf } from './unit-of-work.js'

/** A transaction in which something happens, and which publishes it, on a database that says when it commits; answers what happened, in order. */
async function orderOf(commit: () => string): Promise<string[]> {
  const order: string[] = []
  const bus: Partial<Bus> = { publish: async (messages) => void order.push(...messages.map(({ kind }) => kind)) }
  const db: Partial<Database> = {
    async transaction(work) {
      const result = await work(db as Database)
      order.push(commit())
      return result
    },
  }
  const events = { add: ({ kind }: Happened) => void order.push(kind) }
  const unit = unitOf({ bus: bus as Bus, db: db as Database, events })
  await inTransaction(unit, async (unit) => {
    happened(unit, { kind: 'snapshot.saved', projectId: null, snapshot: { name: 'friday' } })
    publish(unit, identityChanged())
  }).catch(({ message }) => order.push(message))
  return order
}

test('a transaction publishes after its commit, however late that is', async () => {
  expect(await orderOf(() => 'committed')).toEqual(['committed', 'identity', 'snapshot.saved'])
})

test('a commit that fails publishes nothing', async () => {
  const refuse = () => {
    throw new Error('taken back')
  }

  expect(await orderOf(refuse)).toEqual(['taken back'])
})

test('what one statement has changed is answered once it is published', async () => {
  const order: string[] = []
  const publishLate = async () => {
    await new Promise(setImmediate)
    order.push('published')
  }
  const bus: Partial<Bus> = { publish: publishLate }
  const unit = unitOf({ bus: bus as Bus, db: {} as Database, events: { add: () => undefined } })

  await publishing(unit, identityChanged, async () => order.push('written'))

  expect([...order, 'answered']).toEqual(['written', 'published', 'answered'])
})
