/** Collections that a tail shows, and that are deleted, made again or renamed meanwhile. */
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, openWorld, type SharedProject, type World } from '../command-line.js'

let world: World
let dev: SharedProject
let svc: Client
let number = 0

beforeAll(async () => {
  world = await openWorld()
  dev = await world.useEmulator()
  svc = createClient(dev)
})
afterAll(() => world.close())

async function newCollection(): Promise<string> {
  const name = `posts${++number}`
  await svc.collections.create({ name })
  return name
}

/** Starts it, and answers once it listens. */
async function startTail(...words: string[]) {
  const child = execa(process.execPath, [bin, 'tail', ...words, '--json'], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
    ...endsByItself,
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => {
    const { type, collection, event, document, code } = JSON.parse((await lines.next()).value ?? 'null')
    return type === 'event' ? [event, collection, document.data] : [type, collection, ...(code ? [code] : [])]
  }
  await lines.next()
  return {
    next,
    /** The lines until one of this type. */
    async until(type: string) {
      const seen = [await next()]
      while (seen.at(-1)?.[0] !== type) seen.push(await next())
      return seen
    },
    async end() {
      child.kill('SIGINT')
      return (await child).exitCode
    },
  }
}

test.each([
  ['all collections', () => []],
  ['the one that is named', (name: string) => [name]],
])(
  'a tail of %s goes on with one that is deleted and made again at once, from its first document on',
  async (_, words) => {
    const name = await newCollection()
    const tail = await startTail(...words(name))
    await svc.collection(name).create({ n: 1 })
    const first = await tail.next()

    for (const n of [2, 3]) {
      await svc.collections.delete(name)
      await svc.collections.create({ name })
      await svc.collection(name).create({ n })
      expect([await tail.next(), await tail.next(), await tail.next()]).toEqual([
        ['ended', name, 'INVALID_COLLECTION'],
        ['again', name],
        ['created', name, { n }],
      ])
    }

    expect(first).toEqual(['created', name, { n: 1 }])
    expect(await tail.end()).toBe(130)
  },
)

test('a tail of all collections goes on with one that is renamed behind what it has shown of it', async () => {
  const name = await newCollection()
  await svc.collection(name).create({ n: 0 })
  const tail = await startTail()
  await svc.collection(name).create({ n: 1 })
  const first = await tail.next()

  await svc.collections.update(name, { name: `${name}-renamed` })
  await svc.collection(`${name}-renamed`).create({ n: 2 })

  expect([first, await tail.next(), await tail.next()]).toEqual([
    ['created', name, { n: 1 }],
    ['ended', name, 'INVALID_COLLECTION'],
    ['created', `${name}-renamed`, { n: 2 }],
  ])
  await tail.end()
})

test('a tail goes on with a collection that is made again after a reset, from its first document on', async () => {
  const name = await newCollection()
  await svc.collection(name).create({ n: 1 })
  const tail = await startTail(name)

  await world.svc(['reset', '--yes'])
  for (const n of [2, 3]) {
    await svc.collections.create({ name })
    await svc.collection(name).create({ n })
    expect((await tail.until('again')).slice(-2)).toEqual([
      ['ended', name, 'INVALID_COLLECTION'],
      ['again', name],
    ])
    expect(await tail.next()).toEqual(['created', name, { n }])
    if (n === 2) await svc.collections.delete(name)
  }

  await tail.end()
})
