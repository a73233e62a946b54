import { expect, it } from 'vitest'
import { openOutbox } from '../../emulator/ports/mail/outbox.js'
import type { MailTransport } from '../../emulator/ports/mail/port.js'
import { openSmtp } from '../../emulator/ports/mail/smtp.js'
import { startSmtp } from '../fixtures/mail/smtp.js'

function open(transport: MailTransport) {
  const warnings: string[] = []
  const outbox = openOutbox({
    transports: [transport],
    now: () => new Date(),
    newId: () => crypto.randomUUID(),
    from: 'shop@example.com',
    warn: (message) => warnings.push(message),
    pauseMilliseconds: 0,
  })
  const mail = { project: 'shop', to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello' }
  return {
    ...{ outbox, warnings },
    async send(count: number, project = 'shop'): Promise<void> {
      const composed = await outbox.compose({ ...mail, project })
      for (let sent = 0; sent < count; sent++) outbox.send(composed)
    },
  }
}

it('what waits for a server when the service is closed is sent, over the connections that there are', async () => {
  let greet = () => {}
  const server = await startSmtp({ greeting: new Promise((resolve) => (greet = resolve)) })
  const { outbox, send, warnings } = open(openSmtp(server.url, 'shop@example.com'))
  await send(8)

  const closed = outbox.close()
  greet()
  await closed

  const arrived = await Promise.all(Array.from({ length: 8 }, server.nextMail))
  expect(arrived.map(({ to }) => to)).toEqual(Array(8).fill(['ada@example.com']))
  expect(warnings).toEqual([])
  server.close()
})

it('what a server has not taken in time when the service is closed is said', async () => {
  const server = await startSmtp({ greeting: new Promise(() => {}) })
  const { outbox, send, warnings } = open(openSmtp(server.url, 'shop@example.com'))
  await send(7)

  await outbox.close()

  expect(warnings).toEqual(Array(7).fill(expect.stringMatching(/^A mail could not be sent by SMTP: /)))
  server.close()
})

it('no more than 1,000 mails wait for a server, 200 of a project, and of each of the others it is said that it was not sent', async () => {
  let take = () => {}
  const taken = new Promise<void>((resolve) => (take = resolve))
  const { outbox, send, warnings } = open({
    name: 'SMTP',
    send: () => taken,
    verify: async () => undefined,
    close: async () => undefined,
  })

  await send(201, 'flooded')
  for (const project of ['a', 'b', 'c', 'd']) await send(200, project)
  await send(1, 'other')
  take()
  await taken
  await send(1, 'flooded')

  expect(warnings).toEqual([
    'A mail was not sent: 200 others of its project are waiting.',
    'A mail was not sent: 1,000 others are waiting.',
  ])
  await outbox.close()
})
