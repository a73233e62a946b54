/** Projects beside the emulator's own, as tests leave them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { controlOf } from '../../fixtures/events.js'
import { openWorld, type World } from '../command-line.js'

let world: World
let own = ''
const made: string[] = []

beforeAll(async () => {
  world = await openWorld()
  await world.dev('--memory')
  const emulator = JSON.parse(readFileSync(join(world.folder, '.svc', 'emulator.json'), 'utf8'))
  own = emulator.projectId
  const { projects } = controlOf(emulator)
  for (const name of ['first', 'second']) made.push((await projects.create({ name })).id)
})
afterAll(() => world.close())

test('are listed beside it, page by page', async () => {
  const { stdout, stderr } = await world.svc(['project', 'list', '--limit', '1'])
  const rest = await world.svc(['project', 'list', '--after', made[0] ?? '', '--json'])

  expect(stdout).toMatch(/first/)
  expect(stdout).not.toMatch(/second/)
  expect(stderr).toContain(`--after ${made[0]}`)
  expect(JSON.parse(rest.stdout).projects.map(({ name }: { name: string }) => name)).toContain('second')
  expect((await world.svc(['project', 'list'])).stdout).toMatch(new RegExp(`${own} .*the emulator's own`))
})

test('are deleted after a question, the one that the emulator runs for never', async () => {
  const [first = ''] = made
  const unasked = await world.svc(['project', 'delete', first])
  const deleted = await world.svc(['project', 'delete', first, '--yes'])
  const again = await world.svc(['project', 'delete', first, '--yes'])
  const refused = await world.svc(['project', 'delete', own, '--yes'])

  expect(unasked).toMatchObject({ exit: 2, stderr: expect.stringContaining('"first"') })
  expect(deleted.stderr).toContain('Deleted project "first".')
  expect(again.stderr).toContain(`No project "${first}".`)
  expect(refused.stderr).toContain('svc reset')
})

test('keys of providers are set one by one, and removed by an empty value', async () => {
  const set = async (...words: string[]) =>
    (await world.json(['project', 'set', ...words])) as { settings: { idp: string[]; tokenTtl: number } }

  const first = await set('idp.IDP_CLIENT_ID=app', 'idp.IDP_CLIENT_SECRET=secret', 'tokenTtl:=60')
  const more = await set('idp:={"IDP_GOOGLE_CLIENT_ID":"x"}', 'idp.IDP_CLIENT_SECRET=')
  const refused = await world.svc(['project', 'set', 'idp.issuer=x'])

  expect(first.settings).toMatchObject({ idp: ['IDP_CLIENT_ID', 'IDP_CLIENT_SECRET'], tokenTtl: 60 })
  expect(more.settings).toMatchObject({ idp: ['IDP_CLIENT_ID', 'IDP_GOOGLE_CLIENT_ID'] })
  expect(refused).toMatchObject({ exit: 5, stderr: expect.stringContaining('"idp.issuer"') })
})
