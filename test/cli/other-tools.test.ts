/** Words that other tools have for a command, typed out of habit. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from './command-line.js'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test.each([
  [['start'], 'dev'],
  [['run', '--port', '1'], 'dev'],
  [['quit'], 'stop'],
  [['ps'], 'status'],
  [['dashboard'], 'open'],
  [['login'], 'profiles add'],
  [['env'], 'status --env'],
  [['version'], '--version'],
  [['completion', 'bash'], 'autocomplete'],
  [['import', 'posts', 'a.csv'], 'docs import'],
  [['backup'], 'snapshot save'],
])('svc %j: was "svc %s" meant?', async (words, meant) => {
  const [asked, help] = await Promise.all([world.svc(words), world.svc([...meant.split(' '), '--help'])])

  expect(asked).toMatchObject({ exit: 2, stderr: expect.stringContaining(`Did you mean "svc ${meant}"?`) })
  expect(help.exit).toBe(0)
})
