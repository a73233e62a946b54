import { expect, test } from 'vitest'
import type { Database } from '../database/port.js'
import type { Bus } from '../ports/bus/port.js'
import { openTransactionSlots } from './concurrency/database-slots.js'
import type { Happened } from './events/event-log.js'
import { happened, identityChanged, inTransaction, publish, publishing, unitFor } from './unit-of-work.js'

const transactions = openTransactionSlots('embedded')

/**
 * Runs a transaction that publishes an event, on a database that reports its commit. Returns the order of what
 * happened.
 */
async function recordOrder(commit: () => string): Promise<string[]> {
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
  const unit = unitFor({ bus: bus as Bus, db: db as Database, events, transactions })
  await inTransaction(unit, async (unit) => {
    happened(unit, { kind: 'snapshot.saved', projectId: null, snapshot: { name: 'friday' } })
    publish(unit, identityChanged())
  }).catch(({ message }) => order.push(message))
  return order
}

test('publishes after the commit, even a late one', async () => {
  expect(await recordOrder(() => 'committed')).toEqual(['committed', 'identity', 'snapshot.saved'])
})

test('publishes nothing if the commit fails', async () => {
  const refuse = () => {
    throw new Error('taken back')
  }

  expect(await recordOrder(refuse)).toEqual(['taken back'])
})

/** A unit whose bus takes its time, and the order of what happens. */
function aUnitOfASlowBus() {
  const order: string[] = []
  const publishLate = async () => {
    await new Promise(setImmediate)
    order.push('published')
  }
  const bus: Partial<Bus> = { publish: publishLate }
  const db: Partial<Database> = { transaction: (work) => work(db as Database) }
  const unit = unitFor({ bus: bus as Bus, db: db as Database, events: { add: () => undefined }, transactions })
  return { unit, order }
}

test('resolves a single statement after its change is published', async () => {
  const { unit, order } = aUnitOfASlowBus()

  await publishing(unit, identityChanged, async () => order.push('written'))

  expect([...order, 'answered']).toEqual(['written', 'published', 'answered'])
})

test('resolves a transaction after its messages are published', async () => {
  const { unit, order } = aUnitOfASlowBus()

  await inTransaction(unit, async (unit) => {
    publish(unit, identityChanged())
    order.push('written')
  })

  expect([...order, 'answered']).toEqual(['written', 'published', 'answered'])
})
