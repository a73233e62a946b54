import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { type Api, apiOf } from '../../fixtures/service.js'
import { expectStatus, type Fields, inDialects, type Wire } from '../../fixtures/wires.js'

const rules = { readonly: { status: ['hr'], 'meta.rank': [], 'lines.price': [] }, hidden: { 'profile.iban': [] } }
const full = {
  ...{ name: 'Ada', status: 'hired', meta: { rank: 3, text: 'x' }, lines: [{ n: 1, price: 9 }] },
  profile: { city: 'Ulm', iban: 'DE1' },
}

/** Attempts to guess values in protected fields, or around them. */
const guesses: readonly Fields[] = [
  { status: 'hired' },
  { status: 'fired' },
  { status: null },
  { meta: null },
  { meta: { rank: 3 } },
  { meta: { rank: 4 } },
  { meta: { text: 'x' } },
  { lines: [{ n: 1, price: 9 }] },
  { lines: [{ n: 1 }] },
  { lines: {} },
  { profile: null },
  { profile: { city: 'Ulm' } },
  { profile: [{ city: 'Ulm' }] },
  { $append: { status: ['x'] } },
  { $remove: { lines: [{ n: 1, price: 9 }] } },
]

// Contract 5.3, decision 71.
inDialects(
  'Who may write a document and not read it',
  (wire, { once, inTurn }) => {
    const ways: Readonly<Record<string, () => Promise<Office>>> = {
      'a role': () => anOffice(wire, { read: ['hr'] }),
      async 'a scope'() {
        const office = await anOffice(wire)
        const { key } = await control.keys.create({ project: office.project.id, scopes: ['write:people'] })
        return { ...office, writer: apiOf({ 'x-api-key': key }, wire.name) }
      },
      async 'being its owner'() {
        const office = await anOffice(wire, { read: ['owner'] })
        return { ...office, writer: (await office.anAccount()).api }
      },
    }

    test.each(inTurn(Object.entries(ways)))(
      'for want of %s finds out by no guess what others keep in it',
      async (_, open) => {
        const { people, writer } = await open()
        const documents = [await people.create(full), await people.create({ name: 'Eve' })]
        const outcomes = (send: (path: string, id: string) => ReturnType<Api['patch']>) =>
          Promise.all(documents.map(async ({ id }) => (await send(`/collections/people/${id}`, id)).status))

        for (const guess of guesses) {
          const batch = (id: string) => ({ updates: { [id]: { data: guess } } })
          const [one, other] = await outcomes((path) => writer.patch(path, guess))
          expect([guess, one, [401, 403].includes(one ?? 0)]).toEqual([guess, other, true])
          expect([
            guess,
            ...(await outcomes((_, id) => writer.post('/collections/people/batch/documents/update', batch(id)))),
          ]).toEqual([guess, one, one])
          if (JSON.stringify(guess).includes('$')) continue
          expect([guess, ...(await outcomes((path) => writer.put(path, guess)))]).toEqual([guess, one, one])
        }
        for (const [at, { id }] of documents.entries()) {
          expect((await people.get(id)).fields).toEqual([full, { name: 'Eve' }][at])
        }
      },
    )

    test.each(inTurn(Object.entries(ways)))(
      'for want of %s writes beside that, which stays as it is',
      async (_, open) => {
        const { people, writer } = await open()
        const { id } = await people.create(full)
        const path = `/collections/people/${id}`
        const fields = async () => (await people.get(id)).fields

        const patched = expectStatus(200, await writer.patch(path, { name: 'B', $append: { tags: ['x'] } }))
        expect(wire.row(wire.record(patched)).fields).toEqual({})
        expect(await fields()).toEqual({ ...full, name: 'B', tags: ['x'] })
        expectStatus(200, await writer.put(path, { name: 'C' }))
        const { status, lines } = full
        expect(await fields()).toMatchObject({ name: 'C', status, lines, meta: { rank: 3 }, profile: { iban: 'DE1' } })
      },
    )

    once('sends back unchanged what is read-only, if the document is their own and they may read that', async () => {
      const { anAccount, people, owner } = await anOffice(wire, { read: ['owner'] })
      const ada = await anAccount()
      const { id } = wire.row(
        wire.record(expectStatus(201, await ada.api.post('/collections/people', { name: 'Ada' }))),
      )
      const path = `/collections/people/${id}`
      expectStatus(200, await owner.patch(path, full))

      expectStatus(200, await ada.api.patch(path, { status: 'hired', profile: { city: 'Bonn' } }))

      expect((await people.get(id)).fields).toEqual({ ...full, profile: { city: 'Bonn', iban: 'DE1' } })
    })
  },
  ['a', 'b'],
)

type Office = Awaited<ReturnType<typeof anOffice>>

async function anOffice(wire: Wire, permissions: Fields = {}) {
  const town = await aTown(wire)
  const people = await town.collection('people', { permissions: { ...rules, ...permissions } })
  return { ...town, people, writer: town.api }
}
