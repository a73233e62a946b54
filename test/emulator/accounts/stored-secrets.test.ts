import { afterAll, beforeAll, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { identifier, sql } from '../../../emulator/database/port.js'
import { type Ask, askerOf } from '../../fixtures/requests/ask.js'

// A reader of a table, or of a copy, must not be able to log in with the secrets in it.

let service: Service
let ask: Ask
beforeAll(async () => {
  service = await openService({ ...defaultConfig, memory: true })
  ask = askerOf(service)
})
afterAll(() => service.close())

const password = 'Correct4Horse'

/** Mails hold their links, and so tables of mails are left out. Other secrets are kept as they are since they have to be known. */
const kept = ['mails']

it('USR-02 contract 6.8 no table stores a secret that authenticates in plain text: all are stored as hashes', async () => {
  const secrets = { password, secretKey: service.secretKey, ...(await ofAccount()), ...(await ofLogins()) }

  const tables = await everyTable()

  expect(Object.keys(tables)).toEqual(
    expect.arrayContaining([
      ...['idp_logins', 'one_time_tokens', 'pending_logins', 'project_keys', 'realtime_tickets', 'sessions'],
      'user_secrets',
    ]),
  )
  for (const [name, secret = ''] of Object.entries(secrets)) {
    expect(secret, name).toMatch(/^.{6,}$/)
    // Six digits may stand in a longer number.
    const text = secret.length === 6 ? `"${secret}"` : secret
    expect({ [name]: Object.keys(tables).filter((table) => tables[table]?.includes(text)) }).toEqual({ [name]: [] })
  }
})

/** Asked for and not used: what two mails carry, codes for recovery, and a code that a login waits for. */
async function ofAccount() {
  const ada = { email: 'ada@example.com', password }
  const { id, token } = (await ask('POST', '/auth-collections/signup', ada)).body
  const user = String(token)
  await ask('POST', '/auth/request-verification', {}, user)
  const { id: first, token: verification } = await newestMail(ada.email)
  await ask('POST', '/auth/request-password-reset', { email: ada.email })
  const { token: reset } = await newestMail(ada.email, first)
  await ask('POST', '/auth/2fa/enable', {}, user)
  const { code } = (await ask('GET', `/_svc/api/users/${id}/code`)).body
  const { recovery_codes: recovery } = (await ask('POST', '/auth/2fa/verify', { code }, user)).body
  const [code1, code2] = recovery as string[]
  const { ticket } = (await ask('POST', '/realtime/tickets', undefined, user)).body

  const grace = { email: 'grace@example.com', password }
  await ask('POST', '/auth-collections/signup', grace)
  await ask('PATCH', `/_svc/api/projects/${service.project.id}`, { settings: { require2fa: true } })
  await ask('POST', '/auth-collections/login', grace)

  const mailedCode = /^(\d{6}) /.exec((await newestMail(grace.email)).subject)?.[1]
  return { user, ticket: String(ticket), code1, code2, verification, reset, mailedCode }
}

/** The newest mail to that address, after another one where there is one. */
async function newestMail(to: string, after?: string) {
  const query = new URLSearchParams({ to, ...(after === undefined ? {} : { after }) })
  const { body } = await ask('GET', `/_svc/api/mail/wait?${query}`)
  const [link = 'http://none'] = body.links as string[]
  return { id: String(body.id), subject: String(body.subject), token: new URL(link).searchParams.get('token') ?? '' }
}

/** Two logins of browsers that are on their way: one has set out, one has not. */
async function ofLogins() {
  const { url, apiKey } = service
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', origin: 'http://localhost:5173' }
  const begin = async () => {
    const answer = await fetch(`${url}/auth/oauth/idp/url`, { method: 'POST', headers, body: '{}' })
    return (await answer.json()) as { url: string; state: string }
  }
  const [waiting, away] = [await begin(), await begin()]
  const left = await fetch(away.url, { redirect: 'manual' })
  const [, cookie] = /^[^=]+=([\w-]+);/.exec(left.headers.get('set-cookie') ?? '') ?? []
  return { waiting: waiting.state, away: away.state, cookie }
}

/** The rows of each table that has any, as one text. */
async function everyTable(): Promise<Record<string, string>> {
  const { db } = service.backend
  const names = await db.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'`)
  const tables = names.filter(({ name }) => !kept.includes(name))
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await db.query<{ text: string | null }>(sql`
      select string_agg(row_to_json(one)::text, ' ') as text from ${identifier(name)} as one`)
    if (row?.text) found[name] = row.text
  }
  return found
}
