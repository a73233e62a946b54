/** Subscribers that come back to a name which another collection has by then. Contract 9.4 and 9.6. */
import { expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import { control } from '../../fixtures/control.js'
import { type Message, openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'
import { aProject, service } from '../../fixtures/service.js'

/** A project with a document in `posts`, and in `drafts`. */
async function aDesk() {
  const { id: project, secretKey } = await aProject()
  const owner = createClient({ url: service.url, apiKey: secretKey })
  for (const name of ['posts', 'drafts']) {
    await owner.collections.create({ name })
    await owner.collection(name).create({ n: name })
  }
  /** Resumes with the name over both transports, up to a change that is made then. */
  async function told(collection: string, since: number) {
    const socket = await openAuthenticated(service.url, secretKey, 'a')
    socket.say({ type: 'subscribe', collection, since })
    const headers = { 'x-api-key': secretKey, 'last-event-id': String(since) }
    const stream = await openEvents(service.url, `/realtime/sse/${collection}?dialect=a`, headers)
    await owner.collection(collection).create({ n: 'last' })
    const isWhole = ({ heard }: { heard: readonly Message[] }) => said(heard).includes('last')
    await expect.poll(() => [socket, stream].every(isWhole)).toBe(true)
    const all = [socket, stream].map(({ heard }) => said(heard))
    socket.close()
    stream.close()
    expect(all[1]).toEqual(all[0])
    return all[0]
  }
  /** The number of a change that is made now. */
  async function newestOf(collection: string): Promise<number> {
    const subscription = owner.collection(collection).subscribe()
    await subscription.ready
    await owner.collection(collection).create({ n: 'newest' })
    for await (const { seq } of subscription) return seq
    throw new Error('The subscription has ended.')
  }
  return { project, secretKey, owner, told, newestOf, newest: await newestOf('drafts') }
}

/** After which no earlier change of the project is kept. */
async function loadAgain(project: string) {
  await control.snapshots.save({ project, name: 'base' })
  await control.snapshots.load({ project, snapshot: 'base' })
}

function said(messages: readonly Message[]): unknown[] {
  return messages.flatMap(({ code, document }) => {
    if (code !== undefined) return [code]
    return document === undefined ? [] : [(document as { data: { n: unknown } }).data.n]
  })
}

test('contract 9.4 who was away while a collection was deleted and made again is told to read anew', async () => {
  const { owner, told, newest, newestOf } = await aDesk()
  await owner.collections.delete('posts')
  await owner.collections.create({ name: 'posts' })
  await owner.collection('posts').create({ n: 'new' })

  expect(await told('posts', newest)).toEqual(['RESYNC', 'new', 'last'])
  // It knows the new one from then on.
  expect(await told('posts', await newestOf('posts'))).toEqual(['last'])
})

test('contract 9.4 who was away while two collections swapped their names is told to read anew', async () => {
  const { owner, told, newest } = await aDesk()
  await owner.collections.update('posts', { name: 'old' })
  await owner.collections.update('drafts', { name: 'posts' })
  await owner.collections.update('old', { name: 'drafts' })

  expect(await told('posts', newest)).toEqual(['RESYNC', 'last'])
  expect(await told('drafts', newest)).toEqual(['RESYNC', 'last'])
})

test('contract 9.4 who comes back to a name that no other collection had misses nothing, and is not told so', async () => {
  const { owner, told, newest } = await aDesk()
  await owner.collections.create({ name: 'notes' })
  await owner.collection('notes').create({ n: 'first' })
  await owner.collections.update('posts', { name: 'articles' })

  expect(await told('notes', newest)).toEqual(['first', 'last'])
  expect(await told('articles', newest)).toEqual(['last'])
})

test('contract 9.4 who begins with the first change of all knows nothing that has to be read anew', async () => {
  const { owner, told } = await aDesk()
  await owner.collections.delete('posts')
  await owner.collections.create({ name: 'posts' })
  await owner.collection('posts').create({ n: 'new' })

  expect(await told('posts', 0)).toEqual(['new', 'last'])
})

test('contract 9.4 of a collection that is younger than a loaded snapshot everything is kept, of others it is not', async () => {
  const { project, owner, told } = await aDesk()
  await loadAgain(project)
  await owner.collections.delete('drafts')
  for (const name of ['notes', 'drafts']) {
    await owner.collections.create({ name })
    await owner.collection(name).create({ n: 'first' })
  }

  expect(await told('notes', 0)).toEqual(['first', 'last'])
  expect(await told('drafts', 0)).toEqual(['first', 'last'])
  expect(await told('posts', 0)).toEqual(['RESYNC', 'last'])
})

test.each([false, true])(
  'contract 11 who began with 0 is told of a reset (after a loaded snapshot: %s)',
  async (isLoaded) => {
    const { project, secretKey, owner } = await aDesk()
    if (isLoaded) await loadAgain(project)
    else await owner.collections.delete('posts').then(() => owner.collections.create({ name: 'posts' }))
    const socket = await openAuthenticated(service.url, secretKey, 'a')
    await socket.ask({ type: 'subscribe', collection: 'posts', since: 0 })
    await expect.poll(() => socket.heard.some(({ type }) => type === 'live')).toBe(true)
    const before = said(socket.heard)

    await control.projects.reset({ project, collections: ['posts'] })

    await expect.poll(() => said(socket.heard)).toEqual([...before, 'RESYNC'])
    expect(before).toEqual(isLoaded ? ['RESYNC'] : [])
    socket.close()
  },
)

test('contract 9.4 a name that an undo has taken from its collection is a left one too', async () => {
  const { project, owner, told, newestOf } = await aDesk()
  const { name: snapshot } = await control.snapshots.save({ project, automatic: true, command: 'seed' })
  await owner.collections.create({ name: 'notes' })
  const newest = await newestOf('notes')
  await control.snapshots.finish({ project, snapshot })
  await control.snapshots.undo({ project })
  await owner.collections.create({ name: 'notes' })

  expect(await told('notes', newest)).toEqual(['RESYNC', 'last'])
})
