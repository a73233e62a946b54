import { expect, test } from 'vitest'
import type { SeedStep } from '../../../client/protocol/model/seed/steps.js'
import { anEmail, aTown, goodPassword } from '../../fixtures/accounts.js'
import { control } from '../../fixtures/control.js'
import { countMails, mailTo, tokenIn } from '../../fixtures/mail/mails.js'
import { aPerson, logInThrough } from '../../fixtures/providers/provider.js'
import { expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

function ofOwner(project: string) {
  return control.users.create({ project, email: anEmail() })
}

async function seed(project: string, step: SeedStep): Promise<void> {
  const form = new FormData()
  form.set('mode', 'fill')
  form.set('steps', new Blob([JSON.stringify(step)]))
  await control.seeds.apply({ project, form })
}

async function tokenFor(id: string): Promise<string> {
  return (await control.users.token({ user: id })).token
}

async function idOf(project: string, email: string): Promise<string> {
  const { users } = await control.users.list({ project, email })
  return users[0]?.id ?? ''
}

inDialects(
  'Who has no password',
  (wire) => {
    test('contract 6.8 a user whom the owner made without a password gets one by a mail to reset it', async () => {
      const { api, project, logIn } = await aTown(wire)
      const { email, id } = await ofOwner(project.id)
      expectFailure(await logIn(email, goodPassword), 401, 'INVALID_CREDENTIALS')

      expectStatus(200, await api.post('/auth/request-password-reset', { email }))
      const token = tokenIn(await mailTo(email))
      expectStatus(200, await api.post('/auth/reset-password', { token, newPassword: goodPassword }))

      const login = wire.record(expectStatus(200, await logIn(email, goodPassword)))
      expect(login).toMatchObject({ user: { id } })
    })

    test('contract 6.8 so does one of a seed', async () => {
      const { api, project, logIn } = await aTown(wire)
      const email = anEmail()
      await seed(project.id, { step: 'user', name: 'ada', email })

      expectStatus(200, await api.post('/auth/request-password-reset', { email }))
      const token = tokenIn(await mailTo(email))
      expectStatus(200, await api.post('/auth/reset-password', { token, newPassword: goodPassword }))

      expectStatus(200, await logIn(email, goodPassword))
    })

    test('contract 7.5 a password that a seed gives a provider’s user counts nowhere', async () => {
      const { api, as, project, logIn } = await aTown(wire)
      const email = anEmail()
      const identity = { provider: 'https://id.example', subject: 'ada' }
      await seed(project.id, { step: 'user', name: 'ada', email, password: goodPassword, identity })
      const own = as(await tokenFor(await idOf(project.id, email)))

      expectFailure(await logIn(email, goodPassword), 401, 'INVALID_CREDENTIALS')
      const answers = [
        await own.patch('/auth-collections/user', { password: 'New4Horses' }),
        await own.patch('/auth-collections/user', { password: 'New4Horses', currentPassword: goodPassword }),
        await own.post('/auth/change-password', { oldPassword: goodPassword, newPassword: 'New4Horses' }),
      ]
      for (const answer of answers) {
        expectFailure(answer, 401, 'INVALID_CREDENTIALS')
        expect(answer.text).toContain('logs in through an identity provider')
      }
      expectStatus(200, await api.post('/auth/request-password-reset', { email }))
      expect(await countMails(email)).toBe(0)
    })

    test('contract 6.3 who has no password yet needs none to set one, and is told how where the login is old', async () => {
      const { as, project, logIn } = await aTown(wire)
      const { email, id } = await ofOwner(project.id)
      const own = as(await tokenFor(id))
      const set = (body: object) => own.patch('/auth-collections/user', { password: goodPassword, ...body })

      await control.clock.ofProject.change({ project: project.id, advance: 660_000 })
      const answers = [
        await set({}),
        await set({ currentPassword: 'None4Horse' }),
        await own.post('/auth/change-password', { oldPassword: 'None4Horse', newPassword: goodPassword }),
      ]
      for (const answer of answers) {
        expectFailure(answer, 401, 'INVALID_CREDENTIALS')
        expect(answer.text).toContain('Request a password reset mail to set one.')
      }
      expectStatus(200, await as(await tokenFor(id)).patch('/auth-collections/user', { password: goodPassword }))
      expectStatus(200, await logIn(email, goodPassword))
    })

    test('IDP-09 the provider lets nobody in as a user without a password, whose address a password may follow', async () => {
      const { api, project } = await aTown(wire)
      const { email } = await ofOwner(project.id)

      const { failure } = await logInThrough(wire, { api }, await aPerson({ email }))

      expect(failure).toBe('email_already_registered_with_password')
    })
  },
  ['a'],
)
