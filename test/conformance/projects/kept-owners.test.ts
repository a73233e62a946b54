/** Creators of documents in snapshots, seeds and exports. Decision 71. */
import { expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import { control } from '../../fixtures/control.js'
import { aProject, service } from '../../fixtures/service.js'

const password = 'Correct4Horse'

/** A diary of Ada's and one without a creator, in a collection whose users read only their own. */
async function aDiary() {
  const { id: project, ...keys } = await aProject()
  const { url } = service
  const owner = createClient({ url, apiKey: keys.secretKey })
  await owner.collections.create({ name: 'diary', permissions: { read: ['owner'], update: ['owner'] } })
  const [ada, bob] = [createClient({ url, apiKey: keys.apiKey }), createClient({ url, apiKey: keys.apiKey })]
  await ada.auth.signUp({ email: 'ada@example.com', password })
  await bob.auth.signUp({ email: 'bob@example.com', password })
  const { id: hers } = await ada.collection('diary').create({ text: 'hers' })
  const { id: nobodys } = await owner.collection('diary').create({ text: 'nobody’s' })
  const place = { project, collection: 'diary', document: hers }
  const [{ id: adaId }, { id: bobId }] = [await ada.auth.me(), await bob.auth.me()]
  const texts = async (client: typeof ada) =>
    (await client.collection('diary').list()).items.map(({ data }) => data.text)
  return { project, owner, ada, bob, adaId, bobId, hers, nobodys, place, texts }
}

test('decision 71 a snapshot keeps whose a document is, and a diff says where it is somebody else’s', async () => {
  const { project, owner, ada, bob, adaId, bobId, hers, place, texts } = await aDiary()
  await control.snapshots.save({ project, name: 'before' })

  await control.creators.set({ ...place, createdBy: bobId })
  const given = await control.snapshots.diff({ project, snapshot: 'before' })
  await owner.collection('diary').update(hers, { text: 'his' })
  const changed = await control.snapshots.diff({ project, snapshot: 'before' })
  await control.snapshots.load({ project, snapshot: 'before' })

  const record = { id: hers, name: null, kind: 'changed' }
  expect(given.documents).toMatchObject([
    { collection: 'diary', changed: 1, records: [{ ...record, fields: ['created_by'] }] },
  ])
  expect(changed.documents).toMatchObject([{ changed: 1, records: [{ ...record, fields: ['created_by', 'text'] }] }])
  expect(await control.creators.get(place)).toMatchObject({ createdBy: adaId })
  expect([await texts(ada), await texts(bob)]).toEqual([['hers'], []])
})

test('decision 71 an exported snapshot keeps whose a document is', async () => {
  const { project, ada, bob, adaId, bobId, hers, nobodys, place, texts } = await aDiary()
  const path = `${service.url}/_svc/api/projects/${project}`
  const headers = { 'svc-control-token': service.controlToken }
  await control.snapshots.save({ project, name: 'before' })
  const file = await (await fetch(`${path}/snapshots/before/file`, { headers })).arrayBuffer()

  await control.snapshots.remove({ project, snapshot: 'before' })
  await control.creators.set({ ...place, createdBy: bobId })
  await control.creators.set({ ...place, document: nobodys, createdBy: bobId })
  const { status } = await fetch(`${path}/snapshot-file`, { method: 'POST', headers, body: file })
  await control.snapshots.load({ project, snapshot: 'before' })

  // An export has no sessions.
  for (const [client, name] of [
    [ada, 'ada'],
    [bob, 'bob'],
  ] as const) {
    await client.auth.logIn({ email: `${name}@example.com`, password })
  }

  expect(status).toBe(201)
  expect(await control.creators.get(place)).toMatchObject({ id: hers, createdBy: adaId })
  expect(await control.creators.get({ ...place, document: nobodys })).toMatchObject({ createdBy: null })
  expect([await texts(ada), await texts(bob)]).toEqual([['hers'], []])
})

test('decision 71 undo brings a document back as its owner’s, and gives back what was given away', async () => {
  const { project, owner, ada, adaId, bobId, nobodys, place, texts } = await aDiary()
  const undoable = async (command: string, work: () => Promise<unknown>) => {
    const { name: snapshot } = await control.snapshots.save({ project, automatic: true, command })
    await work()
    await control.snapshots.finish({ project, snapshot })
  }
  await undoable('docs transfer', () => control.creators.set({ ...place, document: nobodys, createdBy: bobId }))
  await undoable('collections delete', () => owner.collections.delete('diary'))

  const collections = await control.snapshots.undo({ project })
  const documents = await control.snapshots.undo({ project })

  expect([collections.documents.restored, documents.documents.restored]).toEqual([2, 1])
  expect(await control.creators.get(place)).toMatchObject({ createdBy: adaId })
  expect(await control.creators.get({ ...place, document: nobodys })).toMatchObject({ createdBy: null })
  expect(await texts(ada)).toEqual(['hers'])
})

test('decision 71 a seed that was exported has documents of nobody, as a key writes them', async () => {
  const { project, owner, ada, place, texts } = await aDiary()
  const held = await control.seeds.get({ project })
  const { items } = await owner.collection('diary').list()
  const form = new FormData()
  const steps = [
    { step: 'collection', name: 'copied', isAnswered: false },
    { step: 'documents', documents: items.map(({ data }) => ({ data })) },
  ]
  form.set('mode', 'fill')
  form.set('steps', new Blob(steps.map((step) => `${JSON.stringify(step)}\n`)), 'steps.ndjson')

  await control.seeds.apply({ project, form })

  expect(JSON.stringify(held)).not.toContain('created')
  const { items: copies } = await owner.collection('copied').list()
  const owners = copies.map(({ id }) => control.creators.get({ ...place, collection: 'copied', document: id }))
  expect((await Promise.all(owners)).map(({ createdBy }) => createdBy)).toEqual([null, null])
  expect(await texts(ada)).toEqual(['hers'])
})
