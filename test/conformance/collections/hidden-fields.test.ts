import { afterEach, expect, test } from 'vitest'
import { type Account, aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { createWithFiles, filePage, sendForm } from '../../fixtures/files.js'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { type Api, service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, type Fields, inDialects, type Wire } from '../../fixtures/wires.js'

const hidden = { salary: ['hr'], 'profile.iban': [], 'reviews.note': ['hr'] }
const whole = {
  name: 'Ada',
  salary: 5000,
  profile: { city: 'Ulm', iban: 'DE1' },
  reviews: [{ year: 1, note: 'good' }, { year: 2 }],
}
const seen = { name: 'Ada', profile: { city: 'Ulm' }, reviews: [{ year: 1 }, { year: 2 }] }
const seenByHr = { ...whole, profile: { city: 'Ulm' } }

// Decision 71.
inDialects(
  'Hidden fields',
  (wire, { once }) => {
    const closing: (() => void)[] = []
    afterEach(() => {
      for (const close of closing.splice(0)) close()
    })

    test('are left out of what others get, list, populate and are answered, and their roles see them', async () => {
      const { ada, hr, api, owner, people, collection } = await anOffice(wire)
      const links = await collection('links')
      const { id } = await people.create(whole)
      const link = await links.create({ person: id, people: [id] })
      const path = `/collections/people/${id}`
      const fieldsOf = async (asker: Api, query = '') => [
        wire.row(wire.record(expectStatus(200, await asker.get(`${path}${query}`)))).fields,
        ...wire
          .page(expectStatus(200, await asker.get(`${wire.listPath('people')}${query}`)))
          .rows.map((r) => r.fields),
      ]

      expect(await fieldsOf(api)).toEqual([seen, seen])
      expect(await fieldsOf(ada.api, '?populate=salary')).toEqual([seen, seen])
      expect(await fieldsOf(hr.api)).toEqual([seenByHr, seenByHr])
      expect(await fieldsOf(owner)).toEqual([whole, whole])
      for (const [asker, is] of [
        [ada, seen],
        [hr, seenByHr],
      ] as const) {
        const populated = await asker.api.get(`/collections/links/${link.id}?populate=person&populate=people`)
        const { person, people } = wire.row(wire.record(expectStatus(200, populated))).fields as Fields & { people: [] }
        expect([person, ...people].map((one) => wire.link(one).fields)).toEqual([is, is])
        expectStatus(200, await asker.api.patch('/auth-collections/user', { data: { person: id } }))
        const user = expectStatus(200, await asker.api.get('/auth-collections/user?populate=person'))
        const { data } = wire.record(user) as { data: Fields }
        expect(wire.link(data.person).fields).toEqual(is)
      }
      const patched = wire.row(wire.record(expectStatus(200, await ada.api.patch(path, { name: 'A' })))).fields
      expect(patched).toEqual({ ...seen, name: 'A' })
      const head = await ada.api.send('HEAD', path)
      expect(head.headers['content-length']).toBe((await ada.api.get(path)).headers['content-length'])
    })

    test('no filter, no order and no selection tells of them, whichever way it is asked', async () => {
      const { ada, hr, api, owner, people, collection } = await anOffice(wire)
      const { id } = await people.create(whole)
      const links = await collection('links')
      await links.create({ person: id })
      const { mark } = wire
      const asked = [
        'salary=5000',
        `salary${mark}gt=1`,
        `salary${mark}isnull=true`,
        `salary.x${mark}ne=1`,
        'profile.iban__startswith=D',
        `profile${mark}isnull=false`,
        `reviews.note=good`,
        `reviews.0.note${mark}contains=g`,
        `reviews.-1=1`,
        '[or]name=x&[or]salary=5000',
        'sort_by=salary',
        'orderBy=profile.iban&count=false',
        'orderBy=profile',
        'sort_by=reviews',
        'sort_by=reviews.0.note',
        'populate=salary&salary.name=x',
        '[not]salary=5000',
        '[exists]salary=true',
        '[not:x]name=a&[not:x]profile.iban=x',
        'sort=name,-salary',
        'select=name,salary',
        'select=profile.iban.x',
        'select=reviews.note',
      ]
      for (const query of asked) {
        const { status, text } = await ada.api.get(`${wire.listPath('people')}?${query}`)
        expect([query, status, text.includes(' is hidden from you')]).toEqual([query, 403, true])
      }
      expectFailure(await api.get(`${wire.listPath('people')}?salary=1`), 401, 'UNAUTHORIZED')
      expectFailure(await api.get(`${wire.listPath('people')}?profile.iban=1`), 403, 'FORBIDDEN')
      const { id: one } = await people.create({})
      expectFailure(await ada.api.get(`/collections/people/${one}?select=salary`), 403, 'FORBIDDEN')
      await owner.delete(`/collections/people/${one}`)
      const [row] = wire.page(
        expectStatus(200, await ada.api.get(`${wire.listPath('people')}?select=profile,reviews`)),
      ).rows
      expect(row?.fields).toEqual({ profile: seen.profile, reviews: seen.reviews })
      for (const query of ['salary=5000', 'sort_by=salary', `reviews.0.note${mark}contains=g`, 'profile.city=Ulm']) {
        expect(wire.page(expectStatus(200, await hr.api.get(`${wire.listPath('people')}?${query}`))).total).toBe(1)
      }
      const linked = 'populate=person&select=person.salary,person.name,person.profile.iban'
      for (const [asker, fields] of [
        [ada, { name: 'Ada', profile: {} }],
        [hr, { name: 'Ada', salary: 5000, profile: {} }],
      ] as const) {
        const [link] = wire.page(expectStatus(200, await asker.api.get(`${wire.listPath('links')}?${linked}`))).rows
        expect(wire.link(link?.fields.person).fields).toEqual(fields)
      }
      const found = async (asker: Account, query: string) =>
        wire.page(expectStatus(200, await asker.api.get(`${wire.listPath('links')}?populate=person&${query}`))).total
      for (const query of ['person.salary=5000', `person.salary${mark}isnull=false`, 'person.reviews.0.note=good']) {
        expect([await found(ada, query), await found(hr, query)]).toEqual([0, 1])
      }
      expect(await found(hr, 'person.profile.iban=DE1')).toBe(0)
      await links.create({ person: (await people.create({ boss: id })).id })
      const ofBoss = (what: string) => `populate=person.boss&person.boss.${what}`
      expect([await found(ada, ofBoss('salary=5000')), await found(hr, ofBoss('salary=5000'))]).toEqual([0, 1])
      expect(await found(ada, ofBoss('name=Ada'))).toBe(1)
      expect([await found(ada, 'person.name=Ada'), await found(ada, 'person.profile.city=Ulm')]).toEqual([1, 1])
      // As of a field that no document has: the answer is the same for any value.
      expect(await found(ada, `person.salary${mark}ne=5000`)).toBe(2)
      expectStatus(200, await ada.api.patch('/auth-collections/user', { data: { person: id } }))
      const users = async (query: string) =>
        (await api.get(`/auth-collections/users?populate=person&${query}`)).text.includes(ada.id)
      expect([await users('person.salary=5000'), await users('person.name=Ada')]).toEqual([false, true])
    })

    once('stay as they are whatever others write beside them', async () => {
      const { ada, hr, owner, people } = await anOffice(wire)
      const { id } = await people.create(whole)
      const path = `/collections/people/${id}`
      const batch = (data: Fields) =>
        ada.api.post('/collections/people/batch/documents/update', { updates: { [id]: { data } } })
      const replace = (fields: Fields) => ada.api.put(path, fields)

      expectStatus(200, await ada.api.patch(path, { name: 'B', profile: { city: 'Bonn' } }))
      expect((await people.get(id)).fields).toEqual({ ...whole, name: 'B', profile: { city: 'Bonn', iban: 'DE1' } })
      expectStatus(200, await batch({ name: 'C', reviews: [{ year: 1 }, { year: 2 }] }))
      expect((await people.get(id)).fields).toMatchObject({ name: 'C', reviews: whole.reviews })
      expectStatus(200, await replace({ name: 'D' }))
      const { reviews, salary } = whole
      const left = { name: 'D', salary, profile: { iban: 'DE1' }, reviews }
      expect((await people.get(id)).fields).toMatchObject(left)

      for (const [way, body] of [
        ['given', { salary: 5000 }],
        ['given as null', { salary: null }],
        ['nested', { profile: { iban: 'DE1' } }],
        ['in an item', { reviews: [{ year: 1, note: 'good' }] }],
        ['what holds it', { profile: 'none' }],
        ['its array', { reviews: [] }],
        ['appended', { $append: { salary: [1] } }],
        ['removed', { $remove: { salary: [1] } }],
        ['an item appended', { $append: { reviews: [{ year: 3 }] } }],
      ] as const) {
        const answer = await ada.api.patch(path, body)
        expect([way, answer.status, answer.text.includes('5000')]).toEqual([way, 403, false])
        if (!JSON.stringify(body).includes('$')) expectFailure(await replace(body), 403, 'FORBIDDEN')
        expectFailure(await batch(body), 403, 'FORBIDDEN')
      }
      expectFailure(await sendForm(ada.api, 'PATCH', path, [fileOf('salary')]), 403, 'FORBIDDEN')
      expect((await people.get(id)).fields).toMatchObject(left)

      expectStatus(200, await hr.api.patch(path, { salary: 6000 }))
      expectStatus(200, await owner.patch(path, { profile: {} }))
      expect((await people.get(id)).fields).toMatchObject({ salary: 6000, profile: {} })
    })

    once('are set by who creates a document, who does not see them after', async () => {
      const { ada, api, people, project } = await anOffice(wire)
      const once = { 'idempotency-key': 'k1' }

      const made = await ada.api.post('/collections/people', whole, once)
      const again = await ada.api.post('/collections/people', whole, once)
      const many = await ada.api.post('/collections/people/batch', { documents: [whole, {}] })

      const { id, fields } = wire.row(wire.record(expectStatus(201, made)))
      expect([fields, again.text]).toEqual([seen, made.text])
      expect((await people.get(id)).fields).toEqual(whole)
      const rows = wire.record(expectStatus(201, many)) as unknown[]
      expect(rows.map((row) => wire.row(row).fields)).toEqual([seen, {}])
      // A reply to the user beside the secret key is not replayed to the user alone.
      const both = { 'x-api-key': project.secretKey, authorization: `Bearer ${ada.token}`, 'idempotency-key': 'k2' }
      const byServer = await api.post('/collections/people', whole, both)
      const alone = await ada.api.post('/collections/people', whole, { 'idempotency-key': 'k2' })
      expect(wire.row(wire.record(expectStatus(201, byServer))).fields).toEqual(whole)
      expect(wire.row(wire.record(expectStatus(201, alone))).fields).toEqual(seen)
    })

    once('what a schema says of them is not in the way of others, nor told to them', async () => {
      const { ada, owner, people } = await anOffice(wire)
      const { id } = await people.create({ salary: 'much' })
      const schema = {
        salary: { type: 'number', required: true, default: 77.25 },
        name: { type: 'string', default: 'N' },
      }
      expectStatus(200, await owner.patch('/collections/people', { schema }))

      expectStatus(200, await ada.api.patch(`/collections/people/${id}`, { name: 'B' }))
      expectFailure(await owner.patch(`/collections/people/${id}`, { name: 'C' }), 422, 'VALIDATION_ERROR')
      for (const path of ['/api/collections/people', '/collections']) {
        const told = expectStatus(200, await ada.api.get(path)).text
        expect([told.includes('77.25'), told.includes('"N"')]).toEqual([false, true])
        expect((await owner.get(path)).text).toContain('77.25')
      }
      const made = wire.row(wire.record(expectStatus(201, await ada.api.post('/collections/people', {}))))
      expect([made.fields, (await people.get(made.id)).fields]).toEqual([{ name: 'N' }, { name: 'N', salary: 77.25 }])
    })

    once('contract 13.2 a hidden default that links nowhere is refused without its id', async () => {
      const { ada, owner, people } = await anOffice(wire)
      const { id } = await people.create({})
      const schema = { salary: { type: 'link', to: 'people', default: id }, name: { type: 'string' } }
      expectStatus(200, await owner.patch('/collections/people', { schema }))
      expectStatus(200, await owner.delete(`/collections/people/${id}`))

      const refused = await ada.api.post('/collections/people', { name: 'B' })
      const named = await owner.post('/collections/people', { name: 'B' })

      for (const answer of [refused, named]) expectFailure(answer, 422, 'VALIDATION_ERROR')
      expect([refused.text.includes(id), named.text.includes(id)]).toEqual([false, true])
    })

    once('contract 13.2 rules of hidden fields within others tell nothing of their values', async () => {
      const { ada, owner, people } = await anOffice(wire)
      const path = `/collections/people/${(await people.create(whole)).id}`
      const short = { type: 'string', maxLength: 2 }
      const required = { type: 'string', required: true }
      const schema = {
        profile: { type: 'object', fields: { city: short, iban: short } },
        reviews: { type: 'array', items: { type: 'object', fields: { year: { type: 'integer' }, note: required } } },
      }
      expectStatus(200, await owner.patch('/api/collections/people', { schema }))

      expectFailure(await ada.api.patch(path, { profile: { city: 'Rom' } }), 422, 'VALIDATION_ERROR')
      expectStatus(200, await ada.api.patch(path, { profile: { city: 'Au' } }))
      expectStatus(200, await ada.api.patch(path, { name: 'B', reviews: seen.reviews }))

      expectFailure(await owner.patch(path, { profile: whole.profile }), 422, 'VALIDATION_ERROR')
      expect((await people.get(path.split('/').at(-1) ?? '')).fields).toEqual({
        ...{ ...whole, name: 'B' },
        profile: { city: 'Au', iban: 'DE1' },
      })
    })

    once('files of such documents are listed to who sees all of their fields', async () => {
      const { ada, api, hr, owner, collection } = await anOffice(wire)
      await collection('posts', { permissions: { hidden: { cv: ['hr'] } } })
      await createWithFiles(
        wire,
        owner,
        textOf('data', {}),
        fileOf('cv', 'x', 'cv.png'),
        fileOf('face', 'x', 'face.png'),
      )
      const names = async (asker: Api) =>
        filePage(wire, expectStatus(200, await asker.get('/storage/list'))).files.map(({ name }) => name)

      expect([await names(api), await names(ada.api)]).toEqual([[], []])
      expect((await names(hr.api)).sort()).toEqual(['cv.png', 'face.png'])
      expect(await names(owner)).toHaveLength(2)
      const [file] = filePage(wire, await owner.get('/storage/list')).files
      expectFailure(await ada.api.delete(`/storage/file/${file?.id}`), 404, 'NOT_FOUND')
      expectFailure(await hr.api.delete(`/storage/file/${file?.id}`), 409, 'FILE_IN_USE')
    })

    test('no event shows them, live or replayed, and rights that change count at once', async () => {
      const { ada, hr, people } = await anOffice(wire)
      const stream = async (token: string, query: string) => {
        const headers = { authorization: `Bearer ${token}`, 'svc-dialect': 'a' }
        const stream = await openEvents(service.url, `/realtime/sse/people${query}`, headers)
        closing.push(stream.close)
        return stream
      }
      const socket = await openAuthenticated(service.url, ada.token, 'a')
      closing.push(socket.close)
      const filters = { salary: '5000' }
      const refused = await socket.ask({ type: 'subscribe', collection: 'people', filters })
      expect(refused).toMatchObject({ type: 'error', code: 'FORBIDDEN' })
      expect((await stream(ada.token, '?filters={"reviews.0.note":"good"}')).status).toBe(403)
      await socket.ask({ type: 'subscribe', collection: 'people', filters: { name: 'Ada' }, live: true })
      const dataOf = (heard: readonly Fields[]) =>
        heard.flatMap(({ document }) => (document ? [(document as { data: Fields }).data] : []))
      const [hers, his] = [await stream(ada.token, ''), await stream(hr.token, '?filters={"salary":"5000"}')]

      const { id } = await people.create(whole)
      expectStatus(200, await hr.api.patch(`/collections/people/${id}`, { salary: 5000, n: 1 }))
      expect(dataOf(await his.atLeast(2))).toEqual([seenByHr, { ...seenByHr, n: 1 }])
      await control.users.update({ user: hr.id, roles: [] })
      // Its filter asks for a field that is hidden since.
      await expect.poll(() => his.heard.map(({ code }) => code)).toContain('FORBIDDEN')
      await people.create({ ...whole, n: 2 })

      const expected = [seen, { ...seen, n: 1 }, { ...seen, n: 2 }]
      expect(dataOf(await hers.atLeast(3))).toEqual(expected)
      await expect.poll(() => dataOf(socket.heard)).toEqual(expected)
      expect(dataOf(his.heard)).toEqual([seenByHr, { ...seenByHr, n: 1 }])
      expect(dataOf(await (await stream(ada.token, '?since=0')).atLeast(3))).toEqual(expected)
      expect(dataOf(await (await stream(hr.token, '?since=0')).atLeast(3))).toEqual(expected)
    })

    once('only the secret key changes the rules, which have to make sense', async () => {
      const { ada, api, owner } = await anOffice(wire)
      const permissions = {}
      expectFailure(await api.patch('/collections/people', { permissions }), 403, 'FORBIDDEN')
      expectFailure(await ada.api.patch('/collections/people', { permissions }), 403, 'FORBIDDEN')
      expectFailure(await api.delete('/collections/people'), 403, 'FORBIDDEN')
      for (const [fields, at] of [
        [{ id: [] }, 'id'],
        [{ createdAt: [] }, 'createdAt'],
        [{ 'a..b': [] }, 'a..b'],
        [{ '': [] }, ''],
        [{ 'a.0.b': [] }, 'a.0.b'],
        [{ $append: [] }, '$append'],
        [{ a: ['owner'] }, 'a'],
        [{ a: 'hr' }, 'a'],
        [Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, []])), undefined],
      ] as const) {
        for (const rule of ['hidden', 'readonly']) {
          const answer = await owner.patch('/collections/people', { permissions: { [rule]: fields } })
          expectFailure(answer, 422, 'VALIDATION_ERROR')
          expect(answer.text).toContain(at ?? 'at most 50 fields')
        }
      }
      const told = wire.record(expectStatus(200, await owner.get('/api/collections/people'))) as Fields
      expect(told.permissions).toEqual({ hidden })
    })
  },
  ['a', 'b'],
)

async function anOffice(wire: Wire) {
  const town = await aTown(wire)
  const people = await town.collection('people', { permissions: { hidden } })
  const [ada, hr] = [await town.anAccount(), await town.anAccount()]
  await control.users.update({ user: hr.id, roles: ['hr'] })
  return { ...town, people, ada, hr }
}
