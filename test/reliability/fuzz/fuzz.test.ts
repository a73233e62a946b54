/** Requests of all kinds to every route that `/openapi.json` describes: none breaks the service, and each answer is as described. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { record } from '../ledger.js'
import { isLong, sampled } from '../scale.js'
import { operationsOf } from './description.js'
import { shotsAt } from './shots.js'
import { aWorld, judge, shoot } from './target.js'

/** After so many requests, most data of a project are deleted. */
const shotsPerWorld = 150

describe.each(isLong ? engines : (['pglite'] as const))('on %s', (engine) => {
  let server: Databases | undefined
  let emulator: Emulator

  beforeAll(async () => {
    server = engine === 'postgres' ? await openDatabases() : undefined
    emulator = await startEmulator({ memory: true, databaseUrl: server?.url })
  })
  afterAll(async () => {
    await emulator.close()
    await server?.stop()
  })

  it('answers whatever is asked as it is described', async () => {
    const operations = await operationsOf(emulator.url)
    const statuses = new Map<number, number>()
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    let world = await aWorld(emulator)
    let shots = 0

    await fc.assert(
      fc.asyncProperty(shotsAt(operations), async (shot) => {
        if (++shots % shotsPerWorld === 0) world = await aWorld(emulator)
        const answer = await shoot(emulator.url, shot, world)
        const status = answer?.status ?? 0
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (answer) await judge(emulator.url, shot, answer)
      }),
      { ...sampled(600, 25_000), endOnFailure: false },
    )

    const count = (least: number, most: number) =>
      [...statuses].reduce((sum, [status, times]) => (status >= least && status < most ? sum + times : sum), 0)
    const found = { '5xx': count(500, 600), closed: count(0, 1) }
    const answered = { '2xx': count(200, 300), '4xx': count(400, 500) }
    record({ part: 'fuzz', what: `${operations.length} operations`, engine, count: shots, unit: 'requests', found })
    console.log(
      `${shots} requests`,
      answered,
      found,
      `event loop ${(delay.percentile(99.9) / 1e6).toFixed()} ms at p99.9`,
    )
    expect(found['5xx']).toBe(0)
    // A body that is refused before all of it is there may find the connection closed.
    expect(found.closed).toBeLessThan(shots / 100)
    expect(count(200, 300)).toBeGreaterThan(shots / 20)
    await aWorld(emulator)
  })
})
