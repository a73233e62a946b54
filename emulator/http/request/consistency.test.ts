import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { expect, it, vi } from 'vitest'
import { openLongReads } from '../../core/concurrency/long-read-places.js'
import type { Backend, Identity } from '../../core/context.js'
import { type Database, type Standby, sql } from '../../database/port.js'
import type { HttpContext } from '../exchange.js'
import type { Route } from '../route.js'
import { readingFor } from './consistency.js'

it('what a standby does not answer after all waits for a place at the database', async () => {
  const query = vi.fn(async () => [])
  const failing = { reading: async (_after, instead) => ({ query: instead }) as Database } as Standby
  const longReads = openLongReads(1)
  const backend = { db: { query, standby: failing } as Partial<Database>, longReads } as Backend
  const req = { headers: { 'svc-consistency': 'eventual' } as IncomingHttpHeaders } as IncomingMessage
  const identity = { project: { id: 'busy' }, caller: { id: 'key' } } as Identity
  let end = () => {}
  const atWork = () => new Promise<void>((resolve) => (end = resolve))
  for (let place = 0; place < 5; place++) void longReads.primary.run(['busy'], atWork)

  const reading = await readingFor(
    { backend } as HttpContext,
    { mayLag: true } as Route,
    { req, headers: {} },
    identity,
  )
  const asked = reading?.query(sql`select 1`)
  const waiting = longReads.primary.waiting()
  const asksBefore = query.mock.calls.length
  end()
  await asked

  expect([waiting, asksBefore, query.mock.calls.length]).toEqual([1, 0, 1])
})
