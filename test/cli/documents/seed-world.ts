/** A folder with an emulator for tests of seeds, each with its own collections. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { openWorld, type SharedProject, type World } from '../command-line.js'

/** To be called once in a file of tests. */
export function seedWorld() {
  let world: World
  let dev: SharedProject
  let tests = 0
  beforeAll(async () => {
    world = await openWorld()
    dev = await world.useEmulator()
  })
  beforeEach(() => {
    tests++
  })
  afterAll(() => world.close())

  const listed = async (collection: string, ...words: string[]) => {
    const page = await world.json(['docs', 'list', collection, '--sort', 'createdAt', ...words])
    return (page as { items: { id: string; data: Record<string, unknown> }[] }).items
  }
  return {
    get world() {
      return world
    },
    get dev() {
      return dev
    },
    /** The prefix of the names of a test's collections. */
    get own() {
      return `t${tests}-`
    },
    /** Writes a file into the folder; answers its name. */
    file(name: string, content: string): string {
      const path = join(world.folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return name
    },
    listed,
    fields: async (collection: string, ...words: string[]) =>
      (await listed(collection, ...words)).map(({ data }) => data),
  }
}
