/** Tests logins and tokens whose account changes in between, and the queue for hashing. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { useToken } from '../../../emulator/core/accounts/one-time-tokens.js'
import type { Sql } from '../../../emulator/database/port.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'

let service: Service
beforeEach(async () => {
  service = await openService({ ...defaultConfig, memory: true })
})
afterEach(() => service.close())

const credentials = { email: 'ada@example.com', password: 'Correct4Horse' }

async function ask(method: string, path: string, body: object, token?: string) {
  const headers = new Headers({ 'x-api-key': service.secretKey ?? '', 'content-type': 'application/json' })
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  if (path.startsWith('/_svc/')) headers.set('svc-control-token', service.controlToken)
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json().catch(() => ({}))) as { id?: string; token?: string } }
}

/** Logs in, and has something happen once the password was found right. */
async function logInWhile(happen: () => Promise<{ status: number }>): Promise<number[]> {
  const { passwords } = service.backend
  const matches = passwords.matches
  const done: number[] = []
  vi.spyOn(passwords, 'matches').mockImplementationOnce(async (...args) => {
    const isRight = await matches(...args)
    done.push((await happen()).status)
    return isRight
  })
  return [(await ask('POST', '/auth-collections/login', credentials)).status, ...done]
}

it('a password that is changed meanwhile opens nothing', async () => {
  const { token } = (await ask('POST', '/auth-collections/signup', credentials)).body

  const statuses = await logInWhile(() =>
    ask('POST', '/auth/change-password', { oldPassword: credentials.password, newPassword: 'Newer4Horses' }, token),
  )

  expect(statuses).toEqual([401, 200])
})

it.each(['nobody@example.com', 'no address'])(
  'contract 6.6 a login of %j, whom nobody is, has a password compared as any other has',
  async (email) => {
    await ask('POST', '/auth-collections/signup', credentials)
    const compared = vi.spyOn(service.backend.passwords, 'matches')

    const { status } = await ask('POST', '/auth-collections/login', { ...credentials, email })

    expect(status).toBe(401)
    expect(compared).toHaveBeenCalledOnce()
  },
)

it('an account that is deleted meanwhile is as if it had never been', async () => {
  const { id } = (await ask('POST', '/auth-collections/signup', credentials)).body

  const statuses = await logInWhile(() => ask('DELETE', `/_svc/api/users/${id}`, {}))

  expect(statuses).toEqual([401, 200])
})

it('contract 6.8 the token of a mail to an address that the user leaves while it is looked up is INVALID_TOKEN', async () => {
  const { token: session } = (await ask('POST', '/auth-collections/signup', credentials)).body
  await ask('POST', '/auth/request-verification', {}, session)
  const { links } = await controlOf(service).mail.wait({ to: credentials.email })
  const token = new URL(links[0] ?? '').searchParams.get('token') ?? ''
  const { backend } = service
  const moved: number[] = []
  const query: typeof backend.db.query = async <Row>(statement: Sql) => {
    const rows = await backend.db.query<Row>(statement)
    if (moved.length === 0) {
      moved.push((await ask('PATCH', '/auth-collections/user', { email: 'eve@example.com' }, session)).status)
    }
    return rows
  }

  const using = useToken({ backend, db: { ...backend.db, query } }, token, 'verify email')

  await expect(using).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
  expect(moved).toEqual([200])
})

it('contract 10.12 a new password by the token of a mail is hashed in the turn of its user', async () => {
  const { id = '' } = (await ask('POST', '/auth-collections/signup', credentials)).body
  await ask('POST', '/auth/request-password-reset', { email: credentials.email })
  const { links } = await controlOf(service).mail.wait({ to: credentials.email })
  const token = new URL(links[0] ?? '').searchParams.get('token')
  const hashed = vi.spyOn(service.backend.passwords, 'hash')

  const { status } = await ask('POST', '/auth/reset-password', { token, newPassword: 'Newer4Horses' })

  expect(status).toBe(200)
  expect(hashed.mock.calls).toEqual([['Newer4Horses', { account: id, address: `account ${id}` }]])
})
