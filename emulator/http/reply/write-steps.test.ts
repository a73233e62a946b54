import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { JsonText, Later } from '../../../client/protocol/model/json.js'
import { endWith, writeInSteps } from './write-steps.js'

const text = (bytes: number) => new JsonText(`"${'x'.repeat(bytes)}"`)

/** Counts turns of the event loop until it is stopped. */
function countTurns() {
  let [turns, isDone] = [0, false]
  const next = () => {
    turns++
    if (!isDone) setImmediate(next)
  }
  setImmediate(next)
  return () => {
    isDone = true
    return turns
  }
}

it('contract 10.10 serializes a large answer in pieces, and yields between them', async () => {
  const turns = countTurns()
  const items = Array.from({ length: 40 }, (_, at) => new Later(() => ({ at, data: text(100_000) })))

  const pieces = await writeInSteps({ items })

  expect(turns()).toBeGreaterThanOrEqual(10)
  expect(pieces.length).toBeGreaterThan(10)
  const whole = JSON.parse([pieces].flat().join('')) as { items: { at: number }[] }
  expect(whole.items.map(({ at }) => at)).toEqual(items.map((_, at) => at))
})

it('contract 10.10 serializes a small answer at once, and refuses one over 32 MB before serializing all of it', async () => {
  let worked = 0
  const item = () => {
    worked++
    return text(1024 * 1024)
  }

  expect(await writeInSteps({ a: [1, new JsonText('{"b": 2}')], c: undefined })).toBe('{"a":[1,{"b": 2}]}')
  await expect(writeInSteps(Array.from({ length: 200 }, () => new Later(item)))).rejects.toMatchObject({
    code: 'RESULT_TOO_LARGE',
  })
  expect(worked).toBeLessThan(40)
})

/** The client of an answer, which takes as many bytes as it is set to. */
function aReader(room: number) {
  const taken: string[] = []
  const state = { room, isEnded: false }
  const res = Object.assign(new EventEmitter(), {
    destroyed: false,
    write(piece: Buffer) {
      taken.push(String(piece))
      return --state.room > 0
    },
    end() {
      state.isEnded = true
    },
  })
  return { res: res as EventEmitter & { destroyed: boolean }, taken, state }
}

const pieces = ['1', '2', '3', '4', '5']
const several = async () => {
  for (let count = 0; count < 10; count++) await turn()
}

it('contract 10.10 sends no piece of an answer while the client takes none', async () => {
  const { res, taken, state } = aReader(2)

  const ending = endWith(res as ServerResponse, pieces)
  await several()
  const before = [...taken]
  state.room = 10
  res.emit('drain')
  await ending

  expect(before).toEqual(['1', '2'])
  expect(taken).toEqual(pieces)
  expect([state.isEnded, res.listenerCount('drain'), res.listenerCount('close')]).toEqual([true, 0, 0])
})

it('contract 10.10 sends nothing more to a client that has left', async () => {
  const { res, taken } = aReader(2)

  const ending = endWith(res as ServerResponse, pieces)
  await several()
  res.destroyed = true
  res.emit('close')
  await ending

  expect(taken).toEqual(['1', '2'])
})

it('contract 10.10 yields between the pieces of an answer that is taken at once', async () => {
  const { res } = aReader(100)
  const turns = countTurns()

  await endWith(res as ServerResponse, pieces)

  expect(turns()).toBeGreaterThanOrEqual(pieces.length - 1)
})
