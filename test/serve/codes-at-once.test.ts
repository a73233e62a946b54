/**
 * Codes, passwords and links that reach two processes at the same moment: row locks of PostgreSQL let one after the other decide. The
 * test holds a row of the user until the requests wait for it, or for one another, so that no luck is needed to have them meet.
 */
import { generate } from 'otplib'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { type MailSink, startMailSink } from '../fixtures/mail/mail-sink.js'
import { type Mail, tokenIn } from '../fixtures/mail/mails.js'
import { patiently } from '../fixtures/patience.js'
import { openServeWorld, type ServedProject, type ServeWorld, type Serving } from '../fixtures/serve.js'

let world: ServeWorld
let mails: MailSink
let here: Serving
let there: Serving
let project: ServedProject
beforeAll(async () => {
  ;[world, mails] = await Promise.all([openServeWorld(), startMailSink()])
  const env = { SVC_SMTP_URL: mails.smtpUrl }
  ;[here, there] = await Promise.all([world.startWith(env), world.startWith(env)])
  project = await here.newProject()
})
afterAll(async () => {
  mails.close()
  await world.close()
})

interface User {
  readonly id: string
  readonly email: string
  readonly token: string
}

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

const password = 'Correct horse 1'
let users = 0

async function send(at: Serving, method: string, path: string, body: object, token?: string): Promise<Answer> {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: { ...authorization, 'x-api-key': project.apiKey, 'content-type': 'application/json', 'svc-dialect': 'b' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const post = (at: Serving, path: string, body: object, token?: string) => send(at, 'POST', path, body, token)

async function aUser(): Promise<User> {
  const email = `ada${++users}@example.com`
  const { body } = await post(here, '/auth-collections/signup', { email, password })
  return { id: String(body.id), email, token: String(body.token) }
}

const enable = async ({ token }: User) => String((await post(here, '/auth/2fa/enable', {}, token)).body.secret)

/** A user with an authenticator. */
async function enrolled(): Promise<User & { secret: string; recoveryCodes: string[] }> {
  const user = await aUser()
  const secret = await enable(user)
  const { body } = await post(here, '/auth/2fa/verify', { code: await generate({ secret }) }, user.token)
  return { ...user, secret, recoveryCodes: body.recovery_codes as string[] }
}

const logIn = ({ email }: User) => post(here, '/auth-collections/login', { email, password })

const finish = (at: Serving, { email }: User, code: string) =>
  post(at, '/auth-collections/verify-2fa-login', { email, code })

/**
 * Sends them one after the other, each once those before wait for a row; none is answered before all wait.
 *
 * @param isInOrder false where they have much to do before: all are sent at once, and again where one waited for longer than a statement may
 */
async function together(
  user: User,
  table: 'users' | 'user_secrets' | 'pending_logins',
  requests: (() => Promise<Answer>)[],
  { isInOrder = true } = {},
): Promise<Answer[]> {
  const holder = new pg.Client(world.postgres.url)
  await holder.connect()
  let isHeld = true
  const answers: Promise<Answer>[] = []
  // Also where it fails in between: the server that is stopped then ends the session, and nothing is answered.
  onTestFinished(async () => {
    isHeld = false
    await holder.end()
    await Promise.allSettled(answers)
  })
  const waiting = async () => {
    const { rows } = await holder.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows.length
  }
  await holder.query('begin')
  await holder.query(`select from svc.${table} where ${table === 'users' ? 'id' : 'user_id'} = $1 for update`, [
    user.id,
  ])
  async function untilFree(request: () => Promise<Answer>): Promise<Answer> {
    const answer = await request()
    return isHeld && answer.status === 503 ? untilFree(request) : answer
  }
  for (const [at, request] of requests.entries()) {
    answers.push(isInOrder ? request() : untilFree(request))
    if (!isInOrder && at < requests.length - 1) continue
    // A transaction keeps its view of other activity until it asks again.
    await vi.waitFor(async () => {
      await holder.query('select pg_stat_clear_snapshot()')
      expect(await waiting()).toBe(answers.length)
    }, patiently)
  }
  isHeld = false
  await holder.query('commit')
  await holder.end()
  return Promise.all(answers)
}

/** One code at both processes, each of which waits for the user's secrets. */
const finishAtBoth = (user: User, code: string) =>
  together(user, 'user_secrets', [() => finish(here, user, code), () => finish(there, user, code)])

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort()

it('contract 6.7 of one code at two processes, one gets in', async () => {
  const user = await enrolled()
  await logIn(user)
  const code = await generate({ secret: user.secret })

  const answers = await finishAtBoth(user, code)

  expect(statuses(answers)).toEqual([200, 401])
})

it('contract 6.7 a recovery code is used up by one of two processes', async () => {
  const user = await enrolled()
  await logIn(user)
  const [code = ''] = user.recoveryCodes

  const answers = await finishAtBoth(user, code)

  expect(statuses(answers)).toEqual([200, 401])
})

it('contract 6.7 of wrong codes at two processes, the fifth ends the login', async () => {
  const user = await enrolled()
  await logIn(user)

  const answers = await together(
    user,
    'pending_logins',
    [here, there, here, there, here, there].map((at) => () => finish(at, user, 'no code')),
  )

  expect(statuses(answers)).toEqual([401, 401, 401, 401, 401, 429])
  const code = await generate({ secret: user.secret })
  expect((await finish(here, user, code)).status).toBe(401)
})

it('contract 6.7 two processes enrol an authenticator once: no recovery codes are shown that do not count', async () => {
  const user = await aUser()
  const secret = await enable(user)
  const code = await generate({ secret })
  const verify = (at: Serving) => () => post(at, '/auth/2fa/verify', { code }, user.token)

  const answers = await together(user, 'user_secrets', [verify(here), verify(there)])

  expect(statuses(answers)).toEqual([200, 401])
  const [shown] = answers.flatMap(({ body }) => (body.recovery_codes ?? []) as string[])
  await logIn(user)
  expect((await finish(there, user, shown ?? '')).status).toBe(200)
})

it('contract 6.7 two processes turn two-factor login off once', async () => {
  const user = await enrolled()
  const code = await generate({ secret: user.secret })
  const disable = (at: Serving) => () => post(at, '/auth/2fa/disable', { code }, user.token)

  expect(statuses(await together(user, 'user_secrets', [disable(here), disable(there)]))).toEqual([200, 401])
})

it('contract 6.7 a stolen session that enables in the moment of the owner’s enrolment replaces no authenticator', async () => {
  const user = await aUser()
  const code = await generate({ secret: await enable(user) })

  const [verified, enabled] = await together(user, 'user_secrets', [
    () => post(here, '/auth/2fa/verify', { code }, user.token),
    () => post(there, '/auth/2fa/enable', {}, user.token),
  ])

  expect([verified?.status, enabled?.status]).toEqual([200, 403])
  expect(enabled?.body).not.toHaveProperty('secret')
})

it.each([
  ['POST', '/auth/change-password', (now: string, next: string) => ({ oldPassword: now, newPassword: next })],
  ['PATCH', '/auth-collections/user', (now: string, next: string) => ({ currentPassword: now, password: next })],
])(
  'contract 6.3 of two new passwords for the same one, by %s %s, one counts, and the other is refused',
  async (method, path, body) => {
    const user = await aUser()
    const change = (at: Serving, next: string) => () => send(at, method, path, body(password, next), user.token)

    const changes = [change(here, 'Second horse 2'), change(there, 'Third horse 3')]
    const answers = await together(user, 'users', changes, { isInOrder: false })

    expect(statuses(answers)).toEqual([200, 401])
    const logIn = (password: string) => post(there, '/auth-collections/login', { email: user.email, password })
    const logins = [await logIn('Second horse 2'), await logIn('Third horse 3')]
    expect(logins.map(({ status }) => status)).toEqual(answers.map(({ status }) => status))
  },
)

it('contract 6.8 a link verifies no address that another process puts in the place of its own meanwhile', async () => {
  const user = await aUser()
  await post(here, '/auth/request-verification', {}, user.token)
  const mail = await fetch(`${mails.url}/_svc/api/mail/wait?to=${user.email}`)
  const token = tokenIn((await mail.json()) as Mail)
  const email = `new.${user.email}`

  const [moved, verified] = await together(user, 'users', [
    () => send(here, 'PATCH', '/auth-collections/user', { email }, user.token),
    () => post(there, '/auth/verify-email', { token }),
  ])

  expect([moved?.status, verified?.status]).toEqual([200, 401])
  expect(moved?.body).toMatchObject({ email, email_verified: false })
})
