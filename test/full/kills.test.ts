/** The long form of `test/emulator/kills.test.ts`. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Devs, openDevs } from '../fixtures/dev.js'
import { killAgainAndAgain } from '../fixtures/kills/under-writes.js'

const kills = 20

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

it(`after ${kills} kills under updates and deletes nothing acknowledged is lost, and numbers and counts are exact`, {
  timeout: kills * 120_000,
}, async () => {
  const { wrong, different, gaps, counts, ...written } = await killAgainAndAgain(devs, kills)

  console.log(`${written.acknowledged} documents acknowledged, ${written.deleted} of them deleted again`)
  expect({ wrong, different, gaps }).toEqual({ wrong: [], different: [], gaps: [] })
  expect(counts).toEqual({ found: counts.found, total: counts.found, counted: counts.found })
})
