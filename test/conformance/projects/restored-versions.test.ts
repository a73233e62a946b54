/** Versions of documents that a load or an undo brings back: none is one that a client may know already. Contract 9.4 and 3.8. */
import { expect, test } from 'vitest'
import { createClient, type SvcError } from '../../../client/index.js'
import { control } from '../../fixtures/control.js'
import { aProject, apiOf, service } from '../../fixtures/service.js'

const codeOf = ({ code }: SvcError) => code

async function someNotes() {
  const { id: project, secretKey } = await aProject()
  const owner = createClient({ url: service.url, apiKey: secretKey })
  await owner.collections.create({ name: 'notes' })
  const notes = owner.collection('notes')
  const { id } = await notes.create({ n: 1 })
  const versionOf = async (document = id) => (await notes.get(document)).version ?? 0
  const api = apiOf({ authorization: `Bearer ${secretKey}` }, 'a')
  return { project, owner, notes, id, versionOf, api, path: `/collections/notes/documents/${id}` }
}

/** Does something as a command does that saves a snapshot first. */
async function command(project: string, name: string, work: () => Promise<unknown>) {
  const { name: snapshot } = await control.snapshots.save({ project, automatic: true, command: name })
  await work()
  await control.snapshots.finish({ project, snapshot })
}

test('contract 9.4 a version from before a load is not that of another write after it', async () => {
  const { project, notes, id, api, path } = await someNotes()
  await control.snapshots.save({ project, name: 'before' })
  const { version } = await notes.update(id, { n: 2 })

  await control.snapshots.load({ project, snapshot: 'before' })
  const restored = await api.get(path, { 'if-none-match': '"1"' })
  await notes.update(id, { n: 99 })

  const write = await notes.replace(id, { text: 'x' }, { ifMatch: version ?? 0 }).catch(codeOf)
  const read = await api.get(path, { 'if-none-match': `"${version}"` })
  expect(write).toBe('CONFLICT')
  expect([restored.status, read.status]).toEqual([200, 200])
  expect((await notes.get(id)).data).toEqual({ n: 99 })
})

test('contract 9.4 a document that was deleted comes back at a version that none of the project has been at', async () => {
  const { project, owner, notes, id, versionOf } = await someNotes()
  const other = await notes.create({ n: 1 })
  await control.snapshots.save({ project, name: 'before' })
  for (const n of [2, 3, 4, 5]) await notes.update(id, { n })
  const last = await versionOf()
  await owner.collections.delete('notes')
  await control.projects.reset({ project })

  await control.snapshots.load({ project, snapshot: 'before' })

  expect(await versionOf()).toBeGreaterThan(last)
  expect(await versionOf(other.id)).toBeGreaterThan(last)
})

test('contract 9.4 a load leaves the versions of documents that are as they were', async () => {
  const { project, notes, id, versionOf } = await someNotes()
  const other = await notes.create({ n: 1 })
  await control.snapshots.save({ project, name: 'before' })
  await notes.update(id, { n: 2 })

  await control.snapshots.load({ project, snapshot: 'before' })
  const versions = [await versionOf(), await versionOf(other.id)]
  await control.snapshots.load({ project, snapshot: 'before' })

  expect([await versionOf(), await versionOf(other.id)]).toEqual(versions)
  expect(versions[1]).toBe(1)
  // The accounts of the built-in provider belong to all projects: another test may be making some.
  expect(await control.snapshots.diff({ project, snapshot: 'before' })).toMatchObject({ documents: [], settings: [] })
})

test('contract 9.4 one command after the other is undone on one document, each time at a new version', async () => {
  const { project, notes, id, versionOf } = await someNotes()
  await command(project, 'first', () => notes.update(id, { n: 2 }))
  await command(project, 'second', () => notes.delete(id))
  const versions = [2]

  for (const n of [2, 1]) {
    const undone = await control.snapshots.undo({ project })
    expect(undone.documents).toMatchObject({ restored: 1, keptCount: 0 })
    expect((await notes.get(id)).data).toEqual({ n })
    versions.push(await versionOf())
  }

  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
})
