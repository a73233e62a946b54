import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { startTestEmulator, type TestEmulator } from '../../emulator/testing.js'

let emulator: TestEmulator
beforeAll(async () => {
  emulator = await startTestEmulator()
})
afterAll(() => emulator.close())

it('gives each test a project of its own, with its settings', async () => {
  const one = await emulator.newProject()
  const other = await emulator.newProject({ dialect: 'c' })
  await createClient(one).collections.create({ name: 'posts' })

  const answer = await fetch(`${other.url}/collections`, { headers: { 'x-api-key': other.apiKey } })

  expect((await createClient(one).collections.list()).map(({ name }) => name)).toEqual(['posts'])
  expect(await answer.json()).toEqual({ success: true, data: [] })
})

it('says why a project cannot be made', async () => {
  await expect(emulator.newProject({ dialect: 'z' })).rejects.toThrow(/was not made: .*dialect/i)
})
