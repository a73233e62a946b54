import { afterAll, beforeAll, expect, it } from 'vitest'
import { isFull } from '../../fixtures/scope.js'
import { openRestartable, simulate } from './simulation.js'

let emulator: Awaited<ReturnType<typeof openRestartable>>
beforeAll(async () => {
  emulator = await openRestartable()
})
afterAll(() => emulator.close())

it('loses no write, and does none twice, whatever is cut, reloaded and restarted', {
  timeout: isFull ? 3_600_000 : 600_000,
}, async () => {
  const first = Number(process.env.SVC_TEST_SEED ?? 1)
  const count = process.env.SVC_TEST_SEED ? 1 : isFull ? 100 : 6

  for (let seed = first; seed < first + count; seed++) {
    await simulate(seed, emulator).catch((cause) => {
      throw new Error(`Seed ${seed}. Repeat it with SVC_TEST_SEED=${seed}.`, { cause })
    })
    if (isFull && seed % 25 === 0) console.info(`${seed} of ${count} seeds`)
  }

  expect(count).toBeGreaterThan(0)
})
