import PostalMime from 'postal-mime'
import { beforeAll, expect, it } from 'vitest'
import { type Ask, askerOf } from '../../fixtures/requests/ask.js'
import { newSharedProject, type SharedProject } from '../../fixtures/shared-emulator.js'

// Names that could inject into a header, into HTML, or into an address.

let emulator: SharedProject
let ask: Ask
beforeAll(async () => {
  emulator = await newSharedProject('here')
  ask = askerOf(emulator)
})

const password = 'Correct4Horse'
const name = '<img src=x onerror=alert(1)> & "Söhne" \u{1F375}\r\nBcc: eve@example.com'

/** The mail that a reset sends to a user of a project with that name. */
async function mailOf(settings: object): Promise<{ raw: string; subject: string; links: string[]; text: string }> {
  const { body: project } = await ask('POST', '/_svc/api/projects', { name, settings })
  const app = askerOf({ ...emulator, apiKey: String(project.apiKey) })
  await app('POST', '/auth-collections/signup', { email: 'ada@example.com', password })
  await app('POST', '/auth/request-password-reset', { email: 'ada@example.com' })
  const query = new URLSearchParams({ project: String(project.id), timeout: '10' })
  return (await ask('GET', `/_svc/api/mail/wait?${query}`)).body as never
}

it('contract 6.8 what a project is called begins no header and no element', async () => {
  const mail = await mailOf({})
  const { headers, subject, html, text, to, bcc } = await PostalMime.parse(mail.raw)

  expect(headers.map(({ key }) => key)).not.toContain('bcc')
  expect([to?.map(({ address }) => address), bcc]).toEqual([['ada@example.com'], undefined])
  expect(subject).toBe('Reset your password for <img src=x onerror=alert(1)> & "Söhne" \u{1F375} Bcc: eve@example.com')
  // The mailbox shows the text as written, not as a mail client renders it.
  expect(mail.subject).toBe(subject)
  expect(mail.raw.split('\r\n\r\n')[0]).not.toMatch(/^bcc:/im)
  expect(html).not.toContain('<img')
  expect(html).toContain('&#60;img src=x')
  expect(text).toContain('"Söhne" \u{1F375}')
})

it('contract 6.8 the address of the app stays the address of the app', async () => {
  const mail = await mailOf({ appUrl: 'https://app.example/a"b<c/' })
  const { html } = await PostalMime.parse(mail.raw)

  expect(mail.links).toHaveLength(1)
  expect(new URL(mail.links[0] ?? '').host).toBe('app.example')
  expect(html).not.toMatch(/<c|a"b/)
})

it('contract 6.8 no subject of any mail holds a line break, whatever the project is called', async () => {
  const { body: project } = await ask('POST', '/_svc/api/projects', { name, settings: { require2fa: true } })
  const app = askerOf({ ...emulator, apiKey: String(project.apiKey) })
  await app('POST', '/auth-collections/signup', { email: 'grace@example.com', password })
  await app('POST', '/auth/request-password-reset', { email: 'grace@example.com' })

  const { body } = await ask('GET', `/_svc/api/mail?${new URLSearchParams({ project: String(project.id) })}`)

  const subjects = (body.mails as { subject: string }[]).map(({ subject }) => subject)
  expect(subjects).toHaveLength(2)
  for (const subject of subjects) expect(subject).not.toMatch(/\p{Cc}/u)
})
