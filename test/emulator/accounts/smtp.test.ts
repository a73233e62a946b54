import { once } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { type SmtpServer, startSmtp } from '../../fixtures/mail/smtp.js'
import { type Ask, askerOf } from '../../fixtures/requests/ask.js'

// Mail that is sent as well as kept, and servers that refuse it.

let emulator: Emulator
let ask: Ask
let smtp: SmtpServer | undefined
afterEach(async () => {
  await emulator.close()
  smtp?.close()
})

interface Mail {
  readonly to: string
  readonly raw: string
}

async function start(smtpUrl: string): Promise<void> {
  emulator = await startEmulator({ memory: true, smtpUrl, mailFrom: 'Shop <shop@example.com>' })
  ask = askerOf(emulator)
}

/** Signs a user up who then forgets the password. */
async function forget(email: string): Promise<{ status: number }> {
  await ask('POST', '/auth-collections/signup', { email, password: 'Correct4Horse' })
  return ask('POST', '/auth/request-password-reset', { email })
}

const mailTo = async (email: string) =>
  (await ask('GET', `/_svc/api/mail/wait?${new URLSearchParams({ to: email, timeout: '10' })}`)).body as unknown as Mail

it('contract 6.8 where SMTP is configured, the mail of the mailbox is sent too', async () => {
  smtp = await startSmtp()
  await start(smtp.url)

  await forget('ada@example.com')

  const { raw, from, to } = await smtp.nextMail()
  const kept = await mailTo('ada@example.com')
  expect({ from, to }).toEqual({ from: 'shop@example.com', to: ['ada@example.com'] })
  expect(raw.trimEnd()).toBe(kept.raw.trimEnd())
  expect(raw).toContain('From: Shop <shop@example.com>')
})

it('contract 6.7 the code that finishes a login is sent too', async () => {
  smtp = await startSmtp()
  await start(smtp.url)
  await ask('PATCH', `/_svc/api/projects/${emulator.projectId}`, { settings: { require2fa: true } })

  await ask('POST', '/auth-collections/signup', { email: 'ada@example.com', password: 'Correct4Horse' })

  expect(await smtp.nextMail()).toMatchObject({ to: ['ada@example.com'], raw: expect.stringMatching(/\b\d{6}\b/) })
})

it('contract 6.8 what is beyond the limit, or to nobody, is not sent', async () => {
  smtp = await startSmtp()
  await start(smtp.url)
  await ask('PATCH', `/_svc/api/projects/${emulator.projectId}`, { settings: { rateLimit: { minute: 1_000 } } })

  await ask('POST', '/auth/request-password-reset', { email: 'nobody@example.com' })
  await forget('ada@example.com')
  await ask('POST', '/auth/request-password-reset', { email: 'ada@example.com' })
  await ask('POST', '/auth/request-password-reset', { email: 'nobody@example.com' })
  await forget('bob@example.com')

  const sent = [await smtp.nextMail(), await smtp.nextMail()]
  expect(sent.map(({ to }) => to)).toEqual([['ada@example.com'], ['bob@example.com']])
})

it('contract 6.8 a server that refuses the mail fails no request: the mail is in the mailbox, and a warning says why', async () => {
  smtp = await startSmtp({ refusal: '554 Not from you' })
  await start(smtp.url)
  const warned = once(process, 'warning')

  const answer = await forget('ada@example.com')

  expect(answer.status).toBe(200)
  expect((await mailTo('ada@example.com')).to).toBe('ada@example.com')
  expect(String(await warned)).toMatch(/could not be sent by SMTP, but is in the mailbox: .*554 Not from you/)
})

it('no request waits for a slow server', async () => {
  let greet = () => {}
  smtp = await startSmtp({ greeting: new Promise((resolve) => (greet = resolve)) })
  await start(smtp.url)

  const answer = await forget('ada@example.com')
  const kept = await mailTo('ada@example.com')
  greet()
  const sent = await smtp.nextMail()

  expect(answer.status).toBe(200)
  expect(sent.raw.trimEnd()).toBe(kept.raw.trimEnd())
})

it('a mail on its way arrives although the service is closed meanwhile', async () => {
  let greet = () => {}
  smtp = await startSmtp({ greeting: new Promise((resolve) => (greet = resolve)) })
  await start(smtp.url)
  await forget('ada@example.com')
  await mailTo('ada@example.com')

  const closed = emulator.close()
  greet()
  const sent = await smtp.nextMail()
  await closed

  expect(sent.to).toEqual(['ada@example.com'])
})
