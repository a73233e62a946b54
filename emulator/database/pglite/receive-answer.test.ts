import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { receiveAnswer, takeHeld, type WorkerConnection } from './connection.js'
import type { WireSession } from './protocol.js'

const megabyte = 1_048_576

/** Opens a connection that records the first byte of each message, by turns of the event loop. */
function aConnection() {
  const turns: number[][] = [[]]
  const session: Partial<WireSession> = { read: (bytes) => void turns.at(-1)?.push(bytes[0] ?? -1) }
  const connection: Partial<WorkerConnection> = {
    ...{ shared: new SharedArrayBuffer(16), unread: [], readBytes: 0, arrived: 0, received: 0, taken: 0 },
    session: session as WireSession,
  }
  return { connection: connection as WorkerConnection, turns }
}

/** Receives everything in one turn, as after a blocked event loop. */
function receiveAll(connection: WorkerConnection, count: number, bytes: number): number[] {
  const all = Array.from({ length: count }, (_, at) => at)
  for (const at of all) receiveAnswer(connection, new Uint8Array(bytes).fill(at))
  return all
}

it('contract 10.10 reads answers that arrive together a megabyte per turn, in order', async () => {
  const { connection, turns } = aConnection()
  const all = receiveAll(connection, 40, 430_000)

  while (turns.flat().length < all.length) {
    turns.push([])
    await nextTurn()
  }

  expect(turns.flat()).toEqual(all)
  const most = Math.max(...turns.map(({ length }) => length * 430_000))
  expect(most).toBeLessThan(megabyte + 430_000)
})

it('reads small answers in the turn in which they arrive', () => {
  const { connection, turns } = aConnection()

  expect(turns).toEqual([receiveAll(connection, 200, 100)])
})

it('reads answers that have arrived before those that a stopped thread has not posted', () => {
  const { connection, turns } = aConnection()
  const all = receiveAll(connection, 10, megabyte)

  takeHeld(connection)

  expect(turns.flat()).toEqual(all)
})
