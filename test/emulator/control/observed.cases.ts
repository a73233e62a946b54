/** Requests to the emulator, and its own state. */
import { expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import type { Opened } from './opened.js'

export function observationCases(opened: Opened): void {
  it('requests, in short and in full, with the plan of what they asked the database', async () => {
    const { control, emulator } = opened
    const { projectId: project, url } = emulator
    const client = createClient(emulator)
    await client.collections.create({ name: 'logged' })
    await client.collection('logged').list({ where: { title: 'Hello' } })

    const { isOn, requests } = await control.requests.list({ project, path: '/collections/logged', status: '2xx,404' })
    const [id = ''] = requests.map((each) => each.id)
    const record = await control.requests.get({ id })
    const statement = record.statements.findIndex(({ text }) => text.includes('documents'))
    const { plan } = await control.requests.plan({ id, statement })
    const { before, after, differences } = await control.requests.replay({ id })
    const { count } = await control.requests.clear({ project })

    expect([isOn, requests.length]).toEqual([true, 1])
    expect(record).toMatchObject({ route: 'documents.list', status: 200, caller: { kind: 'key' }, reason: null })
    expect(record.request.headers).toMatchObject({ host: new URL(url).host, 'x-api-key': '[masked]' })
    expect(before).toEqual(record)
    expect(after).toMatchObject({ replayOf: id, caller: record.caller, answer: { body: record.answer.body } })
    expect(differences).toEqual([])
    expect(plan.join('\n')).toContain('documents')
    expect(count).toBeGreaterThan(1)
    expect((await control.requests.list({ project })).requests).toEqual([])
  })

  it('the versions of a document', async () => {
    const { control, emulator } = opened
    const { projectId: project } = emulator
    const client = createClient(emulator)
    await client.collections.create({ name: 'versioned' })
    const { id: document } = await client.collection('versioned').create({ title: 'Tea', tags: ['a'] })
    await client.collection('versioned').update(document, { tags: ['b'] })

    const place = { project, collection: 'versioned', document }
    const { versions } = await control.history.get(place)
    const { differences } = await control.history.compare({ ...place, from: 1, to: 2 })

    expect(versions.map(({ version, changed }) => [version, changed])).toEqual([
      [2, ['tags']],
      [1, []],
    ])
    expect(differences).toEqual([{ path: ['tags', 0], before: '"a"', after: '"b"' }])
  })

  it('a query over the collections, and what it sees of one', async () => {
    const { control, emulator } = opened
    const { projectId: project } = emulator
    const client = createClient(emulator)
    await client.collections.create({ name: 'asked' })
    await client.collection('asked').create({ title: 'Tea', tags: ['a'] })

    const { columns, rows, isCut } = await control.sql.run({ project, query: 'select title, tags from asked' })
    const view = await control.sql.view({ project, name: 'asked' })

    expect({ columns, rows, isCut }).toEqual({ columns: ['title', 'tags'], rows: [['Tea', ['a']]], isCut: false })
    expect(view.columns).toContainEqual({ name: 'title', type: 'text' })
  })

  it('events, as they happen', async () => {
    const { control, emulator } = opened
    const found: string[] = []

    for await (const { kind } of control.events.stream({ project: emulator.projectId })) {
      found.push(kind)
      if (kind === 'stream.opened') await control.clock.change({ advance: 0 })
      if (kind === 'clock.moved') break
    }

    expect(found).toEqual(['stream.opened', 'clock.moved'])
  })

  it('indexes, with what they are for and why they were made', async () => {
    const { control, emulator } = opened
    const { projectId: project, apiKey, url } = emulator
    const client = createClient({ url, apiKey })
    await client.collections.create({ name: 'many' })
    for (let first = 0; first < 2_000; first += 1_000) {
      const documents = Array.from({ length: 1_000 }, (_, n) => ({ kind: n % 10, title: `Post ${n}` }))
      await client.collection('many').createMany(documents)
    }
    const ask = () => client.collection('many').list({ where: { kind: 3 }, sort: 'title', limit: 5 })
    await expect
      .poll(async () => {
        await ask()
        return (await control.indexes.list({ project, collection: 'many' })).indexes.map(({ isReady }) => isReady)
      })
      .toEqual([true])

    const { indexes } = await control.indexes.list({ project })

    expect(indexes).toMatchObject([{ collection: 'many', equal: ['kind'], field: 'title', kind: 'asc' }])
    expect(indexes[0]?.reason).toMatch(/^\d+ lists needed it among 2,000 documents$/)
    expect(indexes[0]?.bytes).toBeGreaterThan(8_192)
    await expect(control.indexes.list({ project, collection: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('files whose bytes are gone, of which there are none', async () => {
    const { control, emulator } = opened
    const client = createClient(emulator)
    const { id } = await client.files.upload(new Blob(['tea']), { name: 'tea.txt' })

    expect(await control.info.missingFiles()).toEqual({ count: 0, files: [] })
    await client.files.delete(id)
  })

  it('what answers, on what, and with how much of it in use', async () => {
    const { control, emulator } = opened
    const svc = createClient({ url: emulator.url, apiKey: emulator.apiKey, transport: 'sse' })
    await svc.collections.create({ name: 'watched' })
    const watched = ['open', 'closed'].map((state) => svc.collection('watched').subscribe({ where: { state } }))
    await expect.poll(() => watched.map(({ status }) => status)).toEqual(['open', 'open'])
    const open = await control.info.get()
    const { connections } = await control.connections.list({ project: emulator.projectId })
    const [first] = connections
    await control.connections.close({ connection: first?.id ?? '' })
    for (const { close } of watched) close()

    expect(connections).toMatchObject(
      ['open', 'closed'].map((state) => ({
        ...{ transport: 'sse', who: 'key', waitingBytes: 0, project: emulator.projectId },
        subscriptions: [{ collection: 'watched', filters: { state }, isLive: false, lag: 0 }],
      })),
    )
    expect(open).toMatchObject({
      project: { id: emulator.projectId },
      addresses: { url: emulator.url, dashboardUrl: emulator.dashboardUrl },
      database: {
        dataDir: null,
        servers: [],
        isDurable: false,
        savedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        version: expect.stringMatching(/^\d+\.\d+/),
      },
      disk: null,
      streams: { connections: 2, subscriptions: 2 },
      dialect: 'a',
      limits: { tier: 'pro', rateLimit: 'off', page: { default: 20, most: 100 } },
      hashing: { library: await emulator.hashLibrary() },
    })
    expect(open.database.bytes).toBeGreaterThan(1_000_000)
    await expect.poll(async () => (await control.info.get()).streams).toEqual({ connections: 0, subscriptions: 0 })
  })
}
