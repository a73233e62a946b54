import { generate } from 'otplib'
import { sql } from '../../../emulator/database/port.js'
import { fileOf, formOf, textOf } from '../../fixtures/requests/form.js'
import { sound } from './failing-storage.js'
import { type Scenario, scenario } from './scenario.js'
import { aPerson, type Fields, type World } from './world.js'

type Person = ReturnType<typeof aPerson>

const newPassword = 'Another5Horse'

async function signedUp(world: World) {
  const person = aPerson()
  const { token } = await world.do('POST', '/auth-collections/signup', person)
  return { ...person, token: token as string, user: { authorization: `Bearer ${token}` } }
}

/** Which of two passwords logs in. */
async function opens(world: World, { email, password }: Person): Promise<unknown> {
  const tries = [password, newPassword].map((password) =>
    world.ask('POST', '/auth-collections/login', { email, password }),
  )
  return (await Promise.all(tries)).map(({ status }) => status)
}

/** Data of all users. */
async function profiles(world: World): Promise<unknown> {
  const { users } = await world.do('GET', '/auth-collections/users')
  return users.map(({ data }: Fields) => data)
}

async function resetToken(world: World, { email }: Person): Promise<string> {
  await world.do('POST', '/auth/request-password-reset', { email })
  const { mails } = await world.do('GET', `/_svc/api/mail?project=${world.project}`)
  const { links } = await world.do('GET', `/_svc/api/mail/${mails[0].id}`)
  return new URL(links[0]).searchParams.get('token') ?? ''
}

const sessionStatus = async (world: World, { user }: { user: Record<string, string> }) =>
  (await world.ask('GET', '/auth-collections/me', undefined, user)).status

/** A user whose authenticator waits for its first code. */
async function enrolling(world: World) {
  const person = await signedUp(world)
  const { secret } = await world.do('POST', '/auth/2fa/enable', {}, person.user)
  const me = await world.do('GET', '/auth-collections/me', undefined, person.user)
  return { ...person, id: me.id as string, code: await generate({ secret }) }
}

/** A user with an authenticator, and a recovery code. */
async function enrolled(world: World) {
  const person = await enrolling(world)
  const verified = await world.do('POST', '/auth/2fa/verify', { code: person.code }, person.user)
  return { ...person, recoveryCode: verified.recovery_codes[0] as string }
}

/** Whether a code is asked for, how many recovery codes are left, and how many sessions and unfinished logins there are. */
async function secondFactor(_: World, { id }: { id: string }): Promise<unknown> {
  const [row] = await sound().db.query(sql`
    select totp_secret is not null as is_on, jsonb_array_length(recovery_hashes) as codes,
      (select count(*)::int from sessions where user_id = ${id}) as sessions,
      (select count(*)::int from pending_logins where user_id = ${id}) as pending
    from user_secrets
    where user_id = ${id}`)
  return row
}

export const accountScenarios: readonly Scenario[] = [
  scenario({
    name: 'sign up',
    prepare: async () => aPerson(),
    act: (world, person) => world.ask('POST', '/auth-collections/signup', person),
    look: async (world, person) => [
      (await world.ask('POST', '/auth-collections/login', person)).status,
      await profiles(world),
    ],
    after: [200, [{}]],
  }),
  scenario({
    name: 'log in',
    prepare: signedUp,
    act: (world, { email, password }) => world.ask('POST', '/auth-collections/login', { email, password }),
    look: sessionStatus,
    after: 200,
  }),
  scenario({
    name: 'log out',
    prepare: signedUp,
    act: (world, { user }) => world.ask('POST', '/auth-collections/logout', undefined, user),
    look: sessionStatus,
    after: 401,
  }),
  scenario({
    name: 'change a profile with a file',
    storesFiles: true,
    prepare: signedUp,
    act: (world, { user }) => {
      const form = formOf(textOf('data', { n: 1 }), fileOf('avatar', 'a face', 'face.txt'))
      return world.ask('PATCH', '/auth-collections/user', form, user)
    },
    async look(world) {
      const { files } = await world.do('GET', '/storage/info')
      const { users } = await world.do('GET', '/auth-collections/users')
      return { files, n: users[0].data.n ?? null, hasAvatar: 'avatar' in users[0].data }
    },
    after: { files: 1, n: 1, hasAvatar: true },
  }),
  scenario({
    name: 'change a password',
    isSlow: true,
    prepare: signedUp,
    act: (world, { user, password: oldPassword }) =>
      world.ask('POST', '/auth/change-password', { oldPassword, newPassword }, user),
    look: opens,
    after: [401, 200],
  }),
  scenario({
    name: 'ask for a password reset',
    prepare: signedUp,
    act: (world, { email }) => world.ask('POST', '/auth/request-password-reset', { email }),
    look: async (world) => (await world.do('GET', `/_svc/api/mail?project=${world.project}`)).mails.length,
    after: 1,
  }),
  scenario({
    name: 'reset a password',
    isSlow: true,
    async prepare(world) {
      const person = await signedUp(world)
      return { ...person, reset: await resetToken(world, person) }
    },
    act: (world, { reset: token }) => world.ask('POST', '/auth/reset-password', { token, newPassword }),
    // The old session ends with the old password.
    look: async (world, person) => [await opens(world, person), await sessionStatus(world, person)],
    after: [[401, 200], 401],
  }),
  scenario({
    name: 'turn two-factor login on',
    prepare: enrolling,
    act: (world, { code, user }) => world.ask('POST', '/auth/2fa/verify', { code }, user),
    look: secondFactor,
    after: { is_on: true, codes: 10, sessions: 1, pending: 0 },
  }),
  scenario({
    name: 'turn two-factor login off',
    isSlow: true,
    prepare: enrolled,
    act: (world, { recoveryCode: code, user }) => world.ask('POST', '/auth/2fa/disable', { code }, user),
    look: secondFactor,
    after: { is_on: false, codes: 0, sessions: 1, pending: 0 },
  }),
  scenario({
    name: 'log in as far as the code',
    isSlow: true,
    prepare: enrolled,
    act: (world, { email, password }) => world.ask('POST', '/auth-collections/login', { email, password }),
    look: secondFactor,
    after: { is_on: true, codes: 10, sessions: 1, pending: 1 },
  }),
  scenario({
    name: 'log in with a code',
    isSlow: true,
    async prepare(world) {
      const person = await enrolled(world)
      await world.do('POST', '/auth-collections/login', { email: person.email, password: person.password })
      return person
    },
    act: (world, { email, recoveryCode: code }) =>
      world.ask('POST', '/auth-collections/verify-2fa-login', { email, code }),
    look: secondFactor,
    after: { is_on: true, codes: 9, sessions: 2, pending: 0 },
  }),
]
