import { expect } from 'vitest'
import { anEmail, aTown, goodPassword, signedUp, userOf } from '../../fixtures/accounts.js'
import { filesOf, read, sendForm } from '../../fixtures/files.js'
import { control } from '../../fixtures/mail/mails.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

const me = '/auth-collections/user'

inDialects('Files of users', (wire, { once }) => {
  once('USR-12 a form changes the profile, and its files land in fields of data', async () => {
    const { anAccount } = await aTown(wire)
    const { api } = await anAccount({ data: { bio: 'Hi', tags: ['a'] } })
    const data = textOf('data', { full_name: 'Ada', $append: { tags: 'b' } })

    const answer = await sendForm(api, 'PATCH', me, [data, fileOf('avatar', 'face'), fileOf('cover', 'sea')])
    const user = userOf(wire, wire.record(expectStatus(200, answer)))

    expect(user.data).toMatchObject({ bio: 'Hi', full_name: 'Ada', tags: ['a', 'b'] })
    expect((await read(user.data.avatar)).text).toBe('face')
    expect((await read(user.data.cover)).text).toBe('sea')
  })

  once('USR-12 a picture that is replaced is deleted', async () => {
    const town = await aTown(wire)
    const { api } = await town.anAccount()
    const patch = async (content: string) => {
      const answer = expectStatus(200, await sendForm(api, 'PATCH', me, [fileOf('avatar', content)]))
      return userOf(wire, wire.record(answer)).data.avatar
    }

    const [before, after] = [await patch('old'), await patch('new')]

    expect((await read(before)).status).toBe(404)
    expect((await read(after)).text).toBe('new')
    expectStatus(200, await api.patch(me, { data: { avatar: null } }))
    expect(await filesOf(wire, town)).toEqual([])
  })

  once('contract 3.4 files of a profile go behind the addresses that data keeps', async () => {
    const town = await aTown(wire)
    const { api } = await town.anAccount()
    const patch = (data: object, ...contents: string[]) => {
      const files = contents.map((content) => fileOf('albums', content))
      return sendForm(api, 'PATCH', me, [textOf('data', data), ...files])
    }
    const albumsOf = async (answer: Promise<Awaited<ReturnType<typeof patch>>>) =>
      userOf(wire, wire.record(expectStatus(200, await answer))).data.albums as string[]

    const [one, two] = await albumsOf(patch({}, 'one', 'two'))
    const kept = await albumsOf(patch({ albums: [two] }, 'three'))

    expect(kept).toEqual([two, expect.any(String)])
    expect((await read(one)).status).toBe(404)
    expect((await read(kept[1])).text).toBe('three')
    expectFailure(await patch({ albums: 'a text' }, 'four'), 422, 'VALIDATION_ERROR')
    expect(await filesOf(wire, town)).toHaveLength(2)
  })

  once('contract 6.3 sign-up takes a form, with email and password as texts or inside data', async () => {
    const { api } = await aTown(wire)
    const profile = { full_name: 'Ada' }
    const signUp = async (...texts: ReturnType<typeof textOf>[]) => {
      const answer = await sendForm(api, 'POST', '/auth-collections/signup', [...texts, fileOf('avatar', 'face')])
      return (signedUp(wire, answer) as { data: Record<string, unknown> }).data
    }
    const email = () => textOf('email', anEmail())

    const apart = await signUp(email(), textOf('password', goodPassword), textOf('data', profile))
    const beside = await signUp(textOf('data', { email: anEmail(), password: goodPassword, ...profile }))
    const around = await signUp(textOf('data', { email: anEmail(), password: goodPassword, data: profile }))

    for (const data of [apart, beside, around]) {
      expect(data).toEqual({ full_name: 'Ada', avatar: expect.any(String) })
      expect((await read(data.avatar)).text).toBe('face')
    }
  })

  once('contract 6.3 a sign-up or change that is refused leaves no file', async () => {
    const town = await aTown(wire)
    const { email, api } = await town.anAccount()
    const taken = [textOf('email', email), textOf('password', goodPassword), fileOf('avatar')]

    expectFailure(await sendForm(town.api, 'POST', '/auth-collections/signup', taken), 409, 'EMAIL_ALREADY_EXISTS')
    expectFailure(await sendForm(api, 'PATCH', me, [textOf('roles', 'x'), fileOf('a')]), 422, 'VALIDATION_ERROR')
    expectFailure(await sendForm(api, 'PATCH', me, [textOf('data', '[]'), fileOf('a')]), 400, 'INVALID_BODY')

    expect(await filesOf(wire, town)).toEqual([])
  })

  once('contract 3.5 a deleted user takes the files along', async () => {
    const town = await aTown(wire)
    const { id, api } = await town.anAccount()
    const answer = expectStatus(200, await sendForm(api, 'PATCH', me, [fileOf('avatar')]))
    const { data } = userOf(wire, wire.record(answer))

    await control('DELETE', `/users/${id}`)

    expect((await read(data.avatar)).status).toBe(404)
    expect(await filesOf(wire, town)).toEqual([])
  })
})
