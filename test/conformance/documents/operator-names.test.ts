import { expect, test } from 'vitest'
import { anEmail, aTown, goodPassword } from '../../fixtures/accounts.js'
import { sendForm } from '../../fixtures/files.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'

const invalid = [422, 'VALIDATION_ERROR'] as const

inDialects('The names of operators', (wire, { inTurn }) => {
  test.each(['$append', '$remove'])('contract 3.3 sign-up stores no %s', async (operator) => {
    const { api, logIn } = await aTown(wire)
    const account = () => ({ email: anEmail(), password: goodPassword })
    const path = '/auth-collections/signup'
    const operation = { [operator]: { tags: ['x'] } }
    const first = account()

    for (const body of [
      { ...first, data: operation },
      { ...account(), data: { [operator]: 'text' } },
      { ...account(), ...operation },
      { ...account(), data: {}, ...operation },
    ]) {
      expectFailure(await api.post(path, body), ...invalid)
    }
    for (const data of [operation, { ...account(), ...operation }, { ...account(), data: operation }]) {
      const texts = [textOf('email', anEmail()), textOf('password', goodPassword), textOf('data', data)]
      expectFailure(await sendForm(api, 'POST', path, texts), ...invalid)
    }
    const form = [textOf('email', anEmail()), textOf('password', goodPassword), fileOf(operator, 'bytes')]
    expectFailure(await sendForm(api, 'POST', path, form), ...invalid)
    expectFailure(await logIn(first.email, first.password), 401, 'INVALID_CREDENTIALS')
    // Below the top they are names like any other.
    expectStatus(wire.statuses.signUp, await api.post(path, { ...account(), data: { saved: operation } }))
  })

  test.each(inTurn(['$append', '$remove']))(
    'contract 3.3 no field is named %s, whichever way it would come',
    async (operator) => {
      const { api, owner, posts } = await someDocuments(wire)
      const { anAccount } = await aTown(wire)
      const { id } = await posts.create({ tags: [] })
      const path = `/collections/posts/${id}`

      for (const answer of [
        await api.patch(path, { $append: { [operator]: ['x'] } }),
        await api.patch(path, { $remove: { [operator]: ['x'] } }),
        await api.post('/collections/posts/batch/documents/update', {
          updates: { [id]: { data: {}, $append: { [operator]: ['x'] } } },
        }),
        await sendForm(api, 'POST', '/collections/posts', [fileOf(operator, 'bytes')]),
        await sendForm(api, 'PATCH', path, [fileOf(operator, 'bytes')]),
        await sendForm(api, 'PUT', path, [fileOf(operator, 'bytes')]),
        await (await anAccount()).api.patch('/auth-collections/user', { $append: { [operator]: ['x'] } }),
        await owner.post('/collections', { name: 'other', schema: { [operator]: { type: 'array', default: [] } } }),
      ]) {
        expectFailure(answer, ...invalid)
      }
      expect((await posts.get(id)).fields).toEqual({ tags: [] })
      expect((await posts.list()).rows).toHaveLength(1)
    },
  )
})
