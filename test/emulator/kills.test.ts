import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Devs, openDevs } from '../fixtures/dev.js'
import { killAgainAndAgain } from '../fixtures/kills/under-writes.js'

// `test/full` kills twenty times.
const kills = 2

let devs: Devs
beforeAll(async () => {
  devs = await openDevs()
})
afterAll(() => devs.stop())

it(`after ${kills} kills under updates and deletes nothing acknowledged is lost, and numbers and counts are exact`, async () => {
  const { acknowledged, deleted, wrong, different, gaps, counts } = await killAgainAndAgain(devs, kills)

  expect({ wrong, different, gaps }).toEqual({ wrong: [], different: [], gaps: [] })
  expect(counts).toEqual({ found: counts.found, total: counts.found, counted: counts.found })
  expect(Math.min(counts.found, deleted, acknowledged - deleted)).toBeGreaterThan(0)
})
