import { expect, test } from 'vitest'
import type { Database } from '../database/port.js'
import type { Bus } from '../ports/bus/port.js'
import { openEventLog } from './events/event-log.js'
import { identityChanged, inTransaction, publish, unitOf } from './unit-of-work.js'

/** A transaction that publishes, on a database that says when it commits; answers what happened, in order. */
async function orderOf(commit: () => string): Promise<string[]> {
  const order: string[] = []
  const bus: Partial<Bus> = { publish: (messages) => void order.push(...messages.map(({ kind }) => kind)) }
  const db: Partial<Database> = {
    async transaction(work) {
      const result = await work(db as Database)
      order.push(commit())
      return result
    },
  }
  const unit = unitOf({ bus: bus as Bus, db: db as Database, events: openEventLog() })
  await inTransaction(unit, async (unit) => publish(unit, identityChanged())).catch(({ message }) =>
    order.push(message),
  )
  return order
}

test('a transaction publishes after its commit, however late that is', async () => {
  expect(await orderOf(() => 'committed')).toEqual(['committed', 'identity'])
})

test('a commit that fails publishes nothing', async () => {
  const refuse = () => {
    throw new Error('taken back')
  }

  expect(await orderOf(refuse)).toEqual(['taken back'])
})
