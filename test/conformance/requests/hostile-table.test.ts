/**
 * Every route, and both transports of realtime, against another user's data: by a user's token, by a key with scopes, and by both
 * together. A route that the table lacks fails it. Decision 71.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, aTown, type Town } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { createWithFiles } from '../../fixtures/files.js'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { send } from '../../fixtures/requests/http.js'
import { type Headers, service } from '../../fixtures/service.js'
import { expectStatus, inDialects } from '../../fixtures/wires.js'
import { bodyOf, forEverybody, secret, type Targets, table } from './hostile-ways.js'

/** Fields of a person and a form that only the owner may read or write. */
const hiding = { title: secret, cards: [{ n: 1, pin: secret }], rank: 1 }

inDialects(
  'A hostile user',
  (wire) => {
    let town: Town
    let ada: Account
    let eve: Account
    let key: string
    let targets: Targets
    let before: string
    /** The token of a second session: the table ends the first. */
    let live: string
    const closing: (() => void)[] = []
    /** Documents that Eve created. */
    const hers = new Set<string>()

    beforeAll(async () => {
      town = await aTown(wire)
      ada = await town.anAccount({ data: { name: 'Ada' } })
      eve = await town.anAccount()
      const own = { read: ['owner'], update: ['owner'], delete: ['owner'] }
      await town.collection('posts', { permissions: { create: ['authenticated'], ...own } })
      const vault = await town.collection('vault', {
        permissions: { create: ['admin'], read: ['admin'], update: ['admin'], delete: ['admin'] },
      })
      const links = await town.collection('links')
      const data = textOf('data', { title: secret, n: 1 })
      const post = await createWithFiles(wire, ada.api, data, fileOf('cover', secret, `${secret}.txt`))
      const { id } = await vault.create({ title: secret })
      const closed = { hidden: { title: [], 'cards.pin': [] }, readonly: { rank: [] } }
      const schema = { title: { type: 'string', default: secret }, rank: { type: 'integer', default: 1 } } as const
      const people = await town.collection('people', { permissions: closed })
      const forms = await town.collection('forms', { permissions: closed, schema })
      const person = await people.create(hiding)
      const form = await forms.create(hiding)
      await links.create({ post: post.id, vault: id, author: ada.id, person: person.id })
      const [file = ''] = /[0-9a-f-]{36}(?=\/S3CRET)/.exec(String(post.fields.cover)) ?? []
      targets = {
        person: person.id,
        form: form.id,
        post: post.id,
        vault: id,
        file,
        ada: ada.id,
        project: town.project.id,
      }
      const scopes = ['links', 'people', 'forms'].flatMap((name) => [`read:${name}`, `write:${name}`])
      key = (await control.keys.create({ project: town.project.id, scopes })).key
      live = (await control.users.token({ user: eve.id })).token
      before = await state()
    })
    afterAll(() => {
      for (const close of closing) close()
    })

    /** Everything that may not change. */
    async function state(): Promise<string> {
      const names = ['posts', 'vault', 'links', 'people']
      const lists = ['/collections', ...names.map((name) => wire.listPath(name))]
      const answers = [...lists, `/auth-collections/users/${ada.id}`, '/storage/list'].map((path) =>
        town.owner.get(path),
      )
      return (await Promise.all(answers)).map((answer) => expectStatus(200, answer).text).join('\n')
    }

    function callers(): readonly Headers[] {
      const authorization = `Bearer ${eve.token}`
      return [{ authorization }, { 'x-api-key': key }, { 'x-api-key': key, authorization }]
    }

    async function operations(): Promise<readonly (readonly [id: string, method: string, path: string])[]> {
      const { body } = await town.api.get('/openapi.json')
      const { paths } = body as { paths: Record<string, Record<string, { operationId: string }>> }
      return Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(
          ([method, { operationId }]) => [operationId.replace(/\.\d+$/, ''), method, path] as const,
        ),
      )
    }

    test('the table has every route', async () => {
      const ids = (await operations()).map(([id]) => id).filter((id) => !id.startsWith('control.'))
      const named = new Set(table.map(([way]) => way.split(' ')[0]))

      expect(ids.length).toBeGreaterThan(60)
      expect([...new Set(ids)].filter((id) => !named.has(id))).toEqual([])
    })

    test('no route of the control API is open to them', async () => {
      const control = (await operations()).filter(([id]) => id.startsWith('control.') && !forEverybody.includes(id))

      expect(control.length).toBeGreaterThan(40)
      for (const [id, method, path] of control) {
        for (const headers of callers()) {
          const asked = { method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, targets.project), headers }
          expect([id, (await send(service.url, asked)).status]).toEqual([id, 401])
        }
      }
    })

    test('no way leads to what is not theirs', async () => {
      const found: unknown[] = []
      for (const [way, method, path, , body] of table) {
        const statuses: number[] = []
        for (const caller of callers()) {
          const { headers, content } = bodyOf(body?.(targets))
          const all = { 'svc-dialect': wire.name, ...headers, ...caller }
          const answer = await send(service.url, { method, path: path(targets), headers: all, body: content })
          expect(answer.text, way).not.toContain(secret)
          expect(JSON.stringify(answer.headers), way).not.toContain(secret)
          statuses.push(answer.status)
        }
        found.push([way, statuses])
      }

      expect(found).toEqual(table.map(([way, , , statuses]) => [way, statuses]))
      expect(await state()).toBe(before)
      const form = wire.row(wire.record(await town.owner.get(`/collections/forms/${targets.form}`)))
      expect(form.fields).toMatchObject({ ...hiding, n: 4 })
    })

    describe.each(['websocket', 'sse'] as const)('over %s', (transport) => {
      test('no change of what is not theirs is received, nor replayed', async () => {
        const received = await subscribed(transport, 'posts')
        expectStatus(200, await ada.api.patch(`/collections/posts/${targets.post}`, { n: 2, title: secret }))
        const mine = wire.row(wire.record(expectStatus(201, await town.as(live).post('/collections/posts', { n: 9 }))))
        hers.add(mine.id)
        const ids = () => received().map(({ document }) => (document as { id: string }).id)
        await expect.poll(ids).toContain(mine.id)

        expect(ids().filter((id) => !hers.has(id))).toEqual([])
        expect(JSON.stringify(received())).not.toContain(secret)
        expectStatus(200, await town.owner.delete(`/collections/posts/${mine.id}`))
      })

      test('no change shows a hidden field, live or replayed', async () => {
        const received = await subscribed(transport, 'forms')
        expectStatus(200, await town.owner.patch(`/collections/forms/${targets.form}`, { n: 5, title: `${secret}2` }))
        const numbers = () => received().map(({ document }) => (document as { data: { n?: number } }).data.n)
        await expect.poll(numbers).toContain(5)

        expect(numbers().length).toBeGreaterThan(5)
        expect(JSON.stringify(received())).not.toContain(secret)
        expectStatus(200, await town.owner.patch(`/collections/forms/${targets.form}`, { title: secret }))
      })

      test('no subscription begins where nothing may be read', async () => {
        const refused = await subscribed(transport, 'vault').catch((error) => String(error))

        expect(refused).toMatch(/FORBIDDEN|403/)
      })
    })

    /** Changes that Eve receives with her token, from the first one on. */
    async function subscribed(transport: 'websocket' | 'sse', collection: string) {
      if (transport === 'sse') {
        const headers = { authorization: `Bearer ${live}`, 'svc-dialect': 'a' }
        const stream = await openEvents(service.url, `/realtime/sse/${collection}?since=0`, headers)
        closing.push(stream.close)
        if (stream.status !== 200) throw new Error(String(stream.status))
        return () => stream.heard
      }
      const socket = await openAuthenticated(service.url, live, 'a')
      closing.push(socket.close)
      const answer = await socket.ask({ type: 'subscribe', collection, since: 0 })
      if (answer.type === 'error') throw new Error(String(answer.code))
      await expect.poll(() => socket.heard.some(({ type }) => type === 'live')).toBe(true)
      return () => socket.heard.filter(({ type }) => type === 'event')
    }
  },
  ['a'],
)
