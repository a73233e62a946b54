import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import type { EmulatorEvent } from '../../../client/protocol/model/events/emulator-event.js'
import { openEventLog } from '../../../emulator/core/events/event-log.js'
import { followEvents } from '../../../emulator/http/realtime/event-stream.js'
import { aBackend } from '../../fixtures/stand-ins.js'

/** A response that drains nothing until it is released, and records what it was sent. */
function anAnswer() {
  const sent: string[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void released.then(() => sent.push(chunk)).then(() => done()),
  })
  const res = Object.assign(stream, { req: { method: 'GET' } }) as object as ServerResponse
  const events = () =>
    sent.flatMap((text): EmulatorEvent[] => {
      const [, data] = /^data: (.*)$/m.exec(text) ?? []
      return data === undefined ? [] : [JSON.parse(data)]
    })
  return { res, events, release }
}

async function aStream() {
  const log = openEventLog({ events: 50, bytes: 100_000_000 })
  const streams = new Set<() => void>()
  let watchers = 0
  const watch = async () => {
    watchers++
    return () => void watchers--
  }
  const documentEvents = { watch, since: () => 0, close: () => undefined }
  const answer = anAnswer()
  const wish = { project: undefined, kinds: undefined, since: undefined, last: 0 }
  const stream = await followEvents(aBackend({ events: log, documentEvents }), wish, streams)
  stream.open(answer.res)
  return { log, streams, answer, watchers: () => watchers, readers: log.readers }
}

it('contract 11 a reader that was too slow receives how many events it missed, and goes on with the oldest that are kept', async () => {
  const { log, answer } = await aStream()
  const subject = 'x'.repeat(60_000)
  for (let n = 1; n <= 200; n++) {
    log.add({ kind: 'mail.sent', projectId: null, mail: { id: String(n), to: 'ada@example.com', subject, why: null } })
  }

  answer.release()
  await expect.poll(() => answer.events().at(-1)).toMatchObject({ mail: { id: '200' } })

  const found = answer.events().slice(1)
  const at = found.findIndex(({ kind }) => kind === 'stream.missed')
  const [before, missed, after] = [found.slice(0, at), found[at], found.slice(at + 1)]
  const ids = (events: readonly EmulatorEvent[]) => events.map((event) => 'mail' in event && Number(event.mail.id))
  // A connection buffers a megabyte and one burst more; the log keeps 50.
  expect(before.length).toBeLessThan(100)
  expect(ids(before)).toEqual(before.map((_, n) => n + 1))
  expect(missed).toMatchObject({ stream: { missed: 200 - 50 - before.length } })
  expect(ids(after)).toEqual(Array.from({ length: 50 }, (_, n) => 151 + n))
})

it('contract 11 a stream whose reader has gone is watched by nobody any more', async () => {
  const { streams, answer, watchers, readers } = await aStream()
  const open = [streams.size, watchers(), readers().size]

  answer.release()
  answer.res.destroy()
  await expect.poll(() => streams.size).toBe(0)

  expect(open).toEqual([1, 1, 1])
  expect([watchers(), readers().size]).toEqual([0, 0])
})
