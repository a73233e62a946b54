import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

test('svc openapi prints the description of the service, in another dialect too, or writes it to a file', async () => {
  const dev = await world.useEmulator()

  const printed = await world.svc(['openapi'])
  const other = await world.svc(['openapi', '--dialect', 'c', '--out', 'openapi.json'])

  expect(JSON.parse(printed.stdout)).toEqual(await (await fetch(`${dev.url}/openapi.json`)).json())
  expect(other).toMatchObject({ exit: 0, stdout: '' })
  const written = JSON.parse(readFileSync(join(world.folder, 'openapi.json'), 'utf8'))
  expect(written).toEqual(await (await fetch(`${dev.url}/openapi.json?dialect=c`)).json())
})
