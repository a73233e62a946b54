/** A kanban app, from its schemas to a program that uses the generated types. `npm run types` compiles the program. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKanban, playWeek } from '../fixtures/kanban/program.js'
import { openWorld, type SharedProject, type World } from './command-line.js'

let world: World
let project: SharedProject
beforeAll(async () => {
  world = await openWorld()
  project = await world.useEmulator()
  const schemas: Readonly<Record<string, object>> = JSON.parse(fixture('schemas.json'))
  for (const [name, schema] of Object.entries(schemas)) {
    writeFileSync(join(world.folder, `${name}.json`), JSON.stringify(schema))
    await world.json(['collections', 'create', name, '--schema', `${name}.json`])
  }
})
afterAll(() => world.close())

function fixture(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../fixtures/kanban/${name}`, import.meta.url)), 'utf8')
}

test('the types of the schemas are those of the program, and data change nothing about them', async () => {
  const generate = async (path: string) => {
    const { exit } = await world.svc(['types', 'generate', '--out', path])
    return { exit, text: readFileSync(join(world.folder, path), 'utf8') }
  }

  const before = await generate('before.ts')
  await playIn(project, 'before')
  const after = await generate('after.ts')

  expect(before).toEqual({ exit: 0, text: fixture('types.ts') })
  expect(after).toEqual(before)
})

test('the program has 200 lines, no assertion and no hand-written type of data', () => {
  const program = fixture('program.ts')

  expect(program.split('\n').length).toBeGreaterThan(195)
  expect(program).not.toMatch(/\bas \w|\bany\b|\bunknown\b|@ts-|!\.|!\)|!;|<[A-Z]\w+>\w/)
  expect(program).not.toMatch(/^\s*(export )?(interface|type) (?!Kanban\b)/m)
})

test('the program runs', async () => {
  const { bob, seen } = await playIn(project, 'week')

  expect(seen).toEqual({
    addresses: ['ada-week@example.com', bob],
    archived: [],
    columns: { 'To do': ['Paint the shed'], Doing: [`Buy seeds (${bob}) #urgent`] },
    due: ['Garden: Buy seeds'],
    hasAvatar: true,
    isCovered: true,
    isTaken: true,
    isTicked: true,
    members: 2,
    names: ['Garden'],
    statistics: { points: 3, average: 3, open: 2 },
    thread: ['Buy seeds: ada-week@example.com: Which **seeds**?'],
    unassigned: { 'To do': ['Paint the shed'], Doing: ['Buy seeds #urgent'] },
    unestimated: 1,
  })
})

async function playIn({ url, apiKey }: SharedProject, mark: string) {
  const kanban = openKanban({ url, apiKey })
  const [ada, bob] = [`ada-${mark}@example.com`, `bob-${mark}@example.com`]
  const signUp = async (email: string) => {
    const result = await kanban.svc.auth.signUp({ email, password: 'Correct4Horse' })
    return 'user' in result ? result.user.id : ''
  }
  const users = { ada: await signUp(ada), bob: await signUp(bob) }
  return { bob, seen: await playWeek(kanban, users.ada, users.bob) }
}
