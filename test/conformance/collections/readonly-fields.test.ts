import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { sendForm } from '../../fixtures/files.js'
import { fileOf } from '../../fixtures/requests/form.js'
import type { Api } from '../../fixtures/service.js'
import { expectFailure, expectStatus, type Fields, inDialects, type Wire } from '../../fixtures/wires.js'

const readonly = {
  status: ['editor'],
  'meta.rank': [],
  'lines.price': ['editor'],
  secret: [],
  'parts.price': ['editor'],
}
const hidden = { secret: [], 'parts.cost': [] }

// Decision 71.
inDialects(
  'Read-only fields',
  (wire, { once }) => {
    once('are not set by who creates a document: what the schema says counts', async () => {
      const { ada, api, editor, owner, orders } = await aShop(wire)
      const create = (asker: Api, fields: Fields) => asker.post('/collections/orders', fields)
      const made = async (asker: Api, fields: Fields) =>
        (await orders.get(wire.row(wire.record(expectStatus(201, await create(asker, fields)))).id)).fields

      expect(await made(ada.api, { n: 1 })).toEqual({
        ...{ n: 1, status: 'new', secret: 'S3CRET', parts: [{ price: 1, cost: 3 }] },
      })
      expect(await made(api, { status: 'new' })).toMatchObject({ status: 'new' })
      expect(await made(api, { parts: [{ price: 1 }] })).toMatchObject({ parts: [{ price: 1, cost: 3 }] })
      for (const fields of [
        { status: 'paid' },
        { status: null },
        { meta: { rank: 1 } },
        { lines: [{ price: 1 }] },
        // It is hidden as well: it cannot be probed.
        { secret: 'S3CRET' },
        { secret: 'other' },
        { parts: [{ price: 1, cost: 3 }] },
        { parts: [{ price: 1, cost: 4 }] },
      ]) {
        expect([fields, (await create(ada.api, fields)).status]).toEqual([fields, 403])
        const many = await ada.api.post('/collections/orders/batch', { documents: [{}, fields] })
        expectFailure(many, 403, 'FORBIDDEN')
      }
      expectFailure(await create(api, { status: 'paid' }), 401, 'UNAUTHORIZED')
      expectFailure(await create(api, { meta: { rank: 1 } }), 403, 'FORBIDDEN')
      expectFailure(await sendForm(ada.api, 'POST', '/collections/orders', [fileOf('status')]), 403, 'FORBIDDEN')
      expect(await made(ada.api, { meta: { text: 'x' }, lines: [{ n: 1 }] })).toMatchObject({ lines: [{ n: 1 }] })
      expect(await made(editor.api, { status: 'paid', lines: [{ price: 1 }] })).toMatchObject({ status: 'paid' })
      expect(await made(owner, { meta: { rank: 1 } })).toMatchObject({ meta: { rank: 1 } })
    })

    once(
      'stay as they are: left out they are kept, sent back unchanged they pass, anything else is refused',
      async () => {
        const { ada, editor, orders } = await aShop(wire)
        const whole = { n: 1, status: 'paid', meta: { rank: 1, text: 'x' }, lines: [{ n: 1, price: 9 }] }
        const { id } = await orders.create(whole)
        const path = `/collections/orders/${id}`
        const fields = async () => (await orders.get(id)).fields

        expectStatus(200, await ada.api.patch(path, { n: 2, meta: { text: 'y' } }))
        expect(await fields()).toMatchObject({ ...whole, n: 2, meta: { rank: 1, text: 'y' } })
        expectStatus(200, await ada.api.put(path, { ...whole, n: 3 }))
        expectStatus(200, await ada.api.put(path, { n: 4 }))
        const { status, lines } = whole
        expect(await fields()).toMatchObject({ n: 4, status, meta: { rank: 1 }, lines, secret: 'S3CRET' })

        for (const body of [
          { status: 'new' },
          { status: null },
          { meta: { rank: 2 } },
          { meta: null },
          { lines: [] },
          { lines: [{ n: 1, price: 8 }] },
          { $append: { lines: [{ n: 2 }] } },
          { $remove: { lines: [{ n: 1, price: 9 }] } },
          { secret: 'S3CRET' },
        ]) {
          const data = { updates: { [id]: { data: body } } }
          expect([body, (await ada.api.patch(path, body)).status]).toEqual([body, 403])
          expectFailure(await ada.api.post('/collections/orders/batch/documents/update', data), 403, 'FORBIDDEN')
        }
        expect(await fields()).toMatchObject({ n: 4, status, meta: { rank: 1 }, lines })
        expectStatus(200, await editor.api.patch(path, { status: 'sent', $append: { lines: [{ n: 2 }] } }))
        expect(await fields()).toMatchObject({ status: 'sent', lines: [...lines, { n: 2 }] })
        expectStatus(200, await ada.api.delete(path))
      },
    )

    test("keep what they hold where a document is replaced, and the default of a required one is in nobody's way", async () => {
      const town = await aTown(wire)
      const status = { type: 'string', required: true, default: 'new' }
      const secret = { type: 'string', required: true, default: 'S3CRET' }
      const permissions = { readonly: { status: [] }, hidden: { secret: [] } }
      const orders = await town.collection('orders', { schema: { status, secret }, permissions })
      const whole = { n: 1, status: 'paid', secret: 'other' }
      const [{ id = '' } = {}] = await orders.fill([whole])

      expectStatus(200, await town.api.put(`/collections/orders/${id}`, { n: 2 }))

      const { record } = wire
      const shown = wire.row(record(await town.owner.get(`/collections/orders/${id}`)))
      expect(shown.fields).toEqual({ ...whole, n: 2 })
    })
  },
  ['a', 'b'],
)

async function aShop(wire: Wire) {
  const town = await aTown(wire)
  const schema = {
    status: { type: 'any', default: 'new' },
    secret: { type: 'string', default: 'S3CRET' },
    parts: { type: 'array', default: [{ price: 1, cost: 3 }] },
  }
  const orders = await town.collection('orders', { schema, permissions: { readonly, hidden } })
  const [ada, editor] = [await town.anAccount(), await town.anAccount()]
  await control.users.update({ user: editor.id, roles: ['editor'] })
  return { ...town, orders, ada, editor }
}
