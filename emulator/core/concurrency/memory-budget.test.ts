import { expect, it } from 'vitest'
import { openMemoryBudget } from './memory-budget.js'

const limits = { maxBytes: 100_000, maxBytesPerAddress: 80_000, maxWorkBytes: 40_000, maxWorkBytesPerAddress: 20_000 }

/** A budget, what was evicted, and the work that has begun. */
function aBudget() {
  const budget = openMemoryBudget(limits)
  const evicted: string[] = []
  const begun: string[] = []
  /** Readers in their first seconds. */
  const young = new Set<string>()
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return {
    ...{ evicted, begun, young, settled, relieve: budget.relieve },
    receive(name: string, address: string, bytes: number) {
      const held = budget.receive(address, () => evicted.push(name))
      held.hold(bytes)
      return held
    },
    /** @param bytes what is reserved: twice the size of the answer */
    async work(name: string, address: string, bytes: number) {
      const room = budget.openRoom(address)
      void room.take(bytes / 2).then(() => begun.push(name))
      await settled()
      return room
    },
    /** Writes an answer of these bytes to a reader that does not take it. */
    async answer(name: string, address: string, bytes: number) {
      const room = budget.openRoom(address)
      await room.take(bytes / 2)
      const release = room.send(bytes, { mayClose: () => !young.has(name), close: () => evicted.push(name) })
      room.leave()
      return release
    },
  }
}

it('contract 10.12 counts bodies, work and answers together, and evicts the newest body of the busiest address', async () => {
  const { evicted, receive, work, answer } = aBudget()
  await work('work', '1.1.1.1', 20_000)
  await answer('answer', '2.2.2.2', 20_000)
  receive('first', '1.1.1.1', 25_000)
  receive('newest', '1.1.1.1', 25_000)
  const other = receive('other', '2.2.2.2', 9_000)

  other.hold(11_000)

  expect(evicted).toEqual(['newest'])
})

it('contract 10.12 never evicts work or bodies in progress', async () => {
  const { evicted, receive, work } = aBudget()
  receive('whole', '1.1.1.1', 70_000).settle()
  await work('work', '1.1.1.1', 20_000)

  receive('coming', '2.2.2.2', 30_000)

  expect(evicted).toEqual(['coming'])
})

it('contract 10.10 closes a slow reader of the address that holds the most for a body, once it has had its time', async () => {
  const { evicted, receive, answer, young } = aBudget()
  young.add('answer')
  await answer('answer', '1.1.1.1', 19_000)
  await answer('small', '2.2.2.2', 10_000)
  receive('whole', '1.1.1.1', 60_000).settle()

  receive('early', '3.3.3.3', 12_000)
  young.clear()
  receive('body', '3.3.3.3', 12_000)

  expect(evicted).toEqual(['early', 'answer'])
})

it('contract 10.10 readers that take nothing hold up neither their own address nor others for longer than their time', async () => {
  const { evicted, begun, answer, work, young, relieve, settled } = aBudget()
  young.add('a1').add('b1')
  for (const [name, address] of [
    ['a1', '1.1.1.1'],
    ['b1', '2.2.2.2'],
  ] as const) {
    await answer(name, address, 20_000)
  }
  await work('own', '1.1.1.1', 1_000)
  await work('other', '3.3.3.3', 1_000)

  relieve()
  await settled()
  expect([evicted, begun]).toEqual([[], []])
  young.clear()
  relieve()
  await settled()

  expect(begun.sort()).toEqual(['other', 'own'])
  expect(evicted.length).toBeLessThanOrEqual(2)
})

it('contract 10.10 closes readers of the own address if only that has used up its share', async () => {
  const { evicted, begun, answer, work, relieve, settled } = aBudget()
  await answer('own', '1.1.1.1', 20_000)
  await answer('other', '2.2.2.2', 15_000)
  await work('work', '1.1.1.1', 1_000)

  relieve()
  await settled()

  expect([evicted, begun]).toEqual([['own'], ['work']])
})

it('contract 10.10 holds nothing once a request or an answer is over', async () => {
  const { evicted, receive, work, answer } = aBudget()
  for (let n = 0; n < 50; n++) {
    const release = await answer('answer', '1.1.1.1', 19_000)
    release()
    release()
    const room = await work('work', '1.1.1.1', 20_000)
    room.keep(10_000)
    room.leave()
    receive('body', '1.1.1.1', 70_000).end()
  }

  receive('last', '1.1.1.1', 80_000)

  expect(evicted).toEqual([])
})
