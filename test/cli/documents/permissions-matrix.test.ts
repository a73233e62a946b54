import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
  await world.svc(['collections', 'create', 'boards'])
  await world.svc(['collections', 'permissions', 'boards', '--read', 'member:members', '--update', 'owner,admin'])
})
afterAll(() => world.close())

test('contract 13.9 collections permissions --matrix shows a status for each caller, and why', async () => {
  const { exit, stdout, stderr } = await world.svc(['collections', 'permissions', 'boards', '--matrix'])

  expect([exit, stderr]).toEqual([0, expect.stringContaining('The collection is empty')])
  expect(stdout).toMatch(/^caller +kind +create +list +get +update +delete$/m)
  expect(stdout).toMatch(/^nobody +✗ 401 +✗ 401 +✗ 401 +✗ 401 +✗ 401$/m)
  expect(stdout).toMatch(/^member:members +member +✓ 201 +✓ 200 +✓ 200 +✗ 403 +✓ 200$/m)
  expect(stdout).toMatch(/^admin +update +Has the role "admin"\.$/m)
})

test('contract 13.9 --matrix asks as users, and about permissions in a file, without saving them', async () => {
  await world.svc(['users', 'signup', 'ada@example.com', '--password', 'Correct4Horse'])
  const file = join(world.folder, 'planned.json')
  writeFileSync(file, JSON.stringify({ update: ['authenticated'] }))
  const words = ['collections', 'permissions', 'boards', '--matrix', '--user', 'ada@example.com']

  const saved = JSON.parse((await world.svc([...words, '--json'])).stdout)
  const planned = JSON.parse((await world.svc([...words, '--permissions', file, '--json'])).stdout)

  const statuses = ({ rows }: typeof saved) =>
    rows.find(({ name }: { name: string }) => name === 'ada@example.com').cells.update.status
  expect([statuses(saved), statuses(planned)]).toEqual([404, 200])
  expect([saved.isSaved, planned.isSaved]).toEqual([true, false])
})
