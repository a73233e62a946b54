import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { ReadRow, Records } from '../../seeds/records/record.js'
import { type ImportResult, runImport } from './run-import.js'
import type { SendRows } from './send-chunk.js'
import { newImportState, noState } from './state.js'

const from = newImportState({ name: 'rows.ndjson', path: undefined, bytes: undefined, changedAt: 0 })

async function* recordsOf(count: number): Records {
  yield Array.from({ length: count }, (_, at) => ({ number: at + 1, line: at + 1, bytes: 10, endByte: at, fields: {} }))
}

/** An import of 3,000 rows, sent in order; what happens to its three chunks is written down. */
async function importInOrder(send: (chunk: number, rows: readonly ReadRow[]) => void, signal?: AbortSignal) {
  const events: string[] = []
  const run = runImport({
    records: recordsOf(3_000),
    state: noState,
    from,
    open(opened) {
      const chunk = Math.ceil((opened[0]?.number ?? 0) / 1_000)
      events.push(`opened ${chunk}`)
      const sendChunk: SendRows = async (rows) => {
        events.push(`sending ${rows.length} of ${chunk}`)
        // Long enough for all others to be opened.
        while (!events.includes('opened 3')) await new Promise((resolve) => setTimeout(resolve, 1))
        send(chunk, rows)
        events.push(`sent ${chunk}`)
        return { created: rows.length, newIds: 0 }
      }
      return sendChunk
    },
    maxOpen: 3,
    sendsInOrder: true,
    signal: signal ?? new AbortController().signal,
  })
  let step = await run.next().catch(failed)
  while (!('error' in step) && !step.done) step = await run.next().catch(failed)
  return { events, result: 'error' in step ? step.error : (step.value as ImportResult) }
}

const failed = (error: unknown) => ({ error })

test('chunks that are sent in order are opened ahead, and each waits for all rows of the one before it', async () => {
  let isRefused = false
  const { events, result } = await importInOrder((chunk) => {
    if (chunk !== 1 || isRefused) return
    isRefused = true
    throw new SvcError('VALIDATION_ERROR', 'Not valid.', [{ path: [7], message: 'is wrong', type: 'wrong' }])
  })

  expect(events.filter((event) => !event.startsWith('opened'))).toEqual([
    ...['sending 1000 of 1', 'sending 999 of 1', 'sent 1'],
    ...['sending 1000 of 2', 'sent 2', 'sending 1000 of 3', 'sent 3'],
  ])
  expect(events.indexOf('opened 3')).toBeLessThan(events.indexOf('sent 1'))
  expect(result).toMatchObject({ isWhole: true, state: { done: 3_000, accepted: 2_999, refused: 1 } })
})

test('of chunks that are sent in order, none is sent after one that has failed', async () => {
  const failure = new SvcError('UNAVAILABLE', 'Gone.')

  const { events, result } = await importInOrder((chunk) => {
    if (chunk === 2) throw failure
  })

  expect(result).toBe(failure)
  expect(events).toContain('sent 1')
  expect(events).toContain('sending 1000 of 2')
  expect(events).not.toContain('sending 1000 of 3')
})

test('a chunk that waits for its turn when the import is stopped is not sent, and not counted as done', async () => {
  const stop = new AbortController()

  const { events, result } = await importInOrder(() => stop.abort(), stop.signal)

  expect(events.filter((event) => event.startsWith('sen'))).toEqual(['sending 1000 of 1', 'sent 1'])
  expect(result).toMatchObject({ isWhole: false, state: { done: 1_000, accepted: 1_000 } })
})

test('rows that are dealt with are not kept until the import ends', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const chunks: WeakRef<object>[] = []
  const run = runImport({
    records: recordsOf(50_000),
    state: noState,
    from,
    open(rows) {
      chunks.push(new WeakRef(rows))
      return async () => ({ created: rows.length, newIds: 0 })
    },
    maxOpen: 3,
    sendsInOrder: false,
    signal: new AbortController().signal,
  })
  while (chunks.length < 50) expect(await run.next()).toMatchObject({ done: false })

  await expect
    .poll(() => {
      collectGarbage()
      return chunks.filter((chunk) => chunk.deref()).length
    })
    .toBeLessThan(10)
  await run.return({ state: from, isWhole: false })
})
