import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/mail/mails.js'
import { apiOf, changeSettings } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

const editors = { create: ['editor'], update: ['editor'], delete: ['editor'] }

inDialects('Roles', (wire, { once }) => {
  once(
    'USR-26 contract 5.3 roles on the record open what permissions close, and "authenticated" is any user',
    async () => {
      const { api, anAccount, collection } = await aTown(wire, { selfRoles: ['editor'] })
      await collection('posts', { permissions: { ...editors, read: ['authenticated'] } })
      const [editor, reader] = [await anAccount({ roles: ['editor'] }), await anAccount()]

      const { id } = wire.row(
        wire.record(expectStatus(201, await editor.api.post('/collections/posts', { name: 'x' }))),
      )

      expect(editor.roles).toEqual(['editor'])
      expectStatus(200, await reader.api.get(`/collections/posts/${id}`))
      expectStatus(200, await reader.api.get(wire.listPath('posts')))
      for (const [method, path, body] of [
        ['POST', '/collections/posts', {}],
        ['PATCH', `/collections/posts/${id}`, {}],
        ['PUT', `/collections/posts/${id}`, {}],
        ['DELETE', `/collections/posts/${id}`, undefined],
        ['POST', '/collections/posts/batch', { documents: [{}] }],
        ['POST', '/collections/posts/batch/documents/update', { updates: { [id]: { data: {} } } }],
        ['POST', '/collections/posts/batch-delete', { document_ids: [id] }],
      ] as const) {
        expectFailure(await reader.api.send(method, path, {}, body), 403, 'FORBIDDEN')
        expectFailure(await api.send(method, path, {}, body), 401, 'UNAUTHORIZED')
      }
      expectFailure(await api.get(`/collections/posts/${id}`), 401, 'UNAUTHORIZED')
      expectStatus(200, await editor.api.delete(`/collections/posts/${id}`))
    },
  )

  test('contract 5.3 lists, populate and related filters obey read for users, too', async () => {
    const { anAccount, collection } = await aTown(wire, { selfRoles: ['insider'] })
    const secrets = await collection('secrets', { permissions: { read: ['insider'] } })
    const posts = await collection('posts')
    const secret = await secrets.create({ word: 'tea' })
    await posts.create({ name: 'one', link: secret.id })
    const [insider, outsider] = [await anAccount({ roles: ['insider'] }), await anAccount()]
    const ask = async (who: typeof insider, query: string) =>
      wire.page(expectStatus(200, await who.api.get(`${wire.listPath('posts')}?${query}`))).rows

    expect(wire.link((await ask(insider, 'populate=link'))[0]?.fields.link).fields).toEqual({ word: 'tea' })
    expect((await ask(outsider, 'populate=link'))[0]?.fields.link).toBe(secret.id)
    expect(await ask(insider, 'populate=link&link.word=tea')).toHaveLength(1)
    expect(await ask(outsider, 'populate=link&link.word=tea')).toHaveLength(0)
    expectFailure(await outsider.api.get(wire.listPath('secrets')), 403, 'FORBIDDEN')
  })

  once('contract 6.2 data.role counts where the project trusts it, as the owner has written it since', async () => {
    const { project, anAccount, collection } = await aTown(wire)
    await collection('secrets', { permissions: { read: ['admin'] } })
    const ada = await anAccount({ data: { role: 'admin' } })
    const read = () => ada.api.get(wire.listPath('secrets'))

    expectFailure(await read(), 403, 'FORBIDDEN')
    await control('PATCH', `/users/${ada.id}`, { role: 'admin' })
    await changeSettings(project, { trustDataRole: true })
    // A value from before does not count: the user could have written it.
    expectFailure(await read(), 403, 'FORBIDDEN')
    await control('PATCH', `/users/${ada.id}`, { role: 'admin' })
    expectStatus(200, await read())
    await changeSettings(project, { trustDataRole: true, selfRoles: ['reader'] })
    expectStatus(200, await read())

    await changeSettings(project, { trustDataRole: false })
    expectFailure(await read(), 403, 'FORBIDDEN')
    expectStatus(200, await ada.api.patch('/auth-collections/user', { data: { role: 'owner' } }))
    await changeSettings(project, { trustDataRole: true })
    expectFailure(await read(), 403, 'FORBIDDEN')
    await control('PATCH', `/users/${ada.id}`, { role: 'admin' })
    await control('PATCH', `/users/${ada.id}`, { role: null })
    expectFailure(await read(), 403, 'FORBIDDEN')
  })

  test('contract 5.3 managing collections takes a key: a user token alone is 403', async () => {
    const { project, anAccount, collection } = await aTown(wire)
    await collection('posts')
    const { api, token } = await anAccount()
    const withKey = apiOf({ authorization: `Bearer ${token}`, 'x-api-key': project.apiKey }, wire.name)

    expectFailure(await api.post('/collections', { name: 'mine' }), 403, 'FORBIDDEN')
    expectFailure(await api.patch('/collections/posts', { name: 'mine' }), 403, 'FORBIDDEN')
    expectFailure(await api.delete('/collections/posts'), 403, 'FORBIDDEN')
    expectStatus(200, await api.get('/collections'))
    expectStatus(201, await withKey.post('/collections', { name: 'mine' }))
  })

  test('USR-25 contract 6.9 where addresses have to be verified, an unverified user may read and use /auth', async () => {
    const { api, anAccount, collection } = await aTown(wire, { requireVerifiedEmail: true })
    const posts = await collection('posts')
    const { id } = await posts.create({ name: 'x' })
    const ada = await anAccount()

    expectStatus(200, await ada.api.get(wire.listPath('posts')))
    expectStatus(200, await ada.api.get(`/collections/posts/${id}`))
    expectStatus(200, await ada.api.patch('/auth-collections/user', { data: { bio: 'Hi' } }))
    for (const answer of [
      await ada.api.post('/collections/posts', {}),
      await ada.api.patch(`/collections/posts/${id}`, {}),
      await ada.api.delete(`/collections/posts/${id}`),
      await ada.api.post('/collections/posts/batch', { documents: [{}] }),
    ]) {
      expectFailure(answer, 403, 'EMAIL_NOT_VERIFIED')
    }
    expectStatus(201, await api.post('/collections/posts', {}))
  })
})
