import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { generate } from 'selfsigned'
import { expect, it } from 'vitest'
import { openSmtp } from '../../emulator/ports/mail/smtp.js'
import { startSmtp } from '../fixtures/mail/smtp.js'
import { mailTransportCases } from './mail.cases.js'

mailTransportCases('SMTP', async (refusal) => {
  const server = await startSmtp(refusal === undefined ? {} : { refusal })
  return { open: (from) => openSmtp(server.url, from), next: server.nextMail, stop: server.close }
})

it('mails that are sent at once share five connections', async () => {
  let greet = () => {}
  const server = await startSmtp({ greeting: new Promise((resolve) => (greet = resolve)) })
  const mail = openSmtp(server.url, 'shop@example.com')

  const sent = Array.from({ length: 40 }, (_, at) =>
    mail.send(`ada.${at}@example.com`, Buffer.from('Subject: Hello\r\n\r\n')),
  )
  await expect.poll(server.mostConnections).toBeGreaterThanOrEqual(5)
  greet()
  await Promise.all(sent)

  expect(server.mostConnections()).toBe(5)
  await mail.close()
  server.close()
})

it('a server that hangs up is called once for a mail, of which is said that it was not sent', async () => {
  let calls = 0
  const server = createServer((socket) => {
    calls++
    socket.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const mail = openSmtp(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, 'shop@example.com')

  await expect(mail.send('ada@example.com', Buffer.from('Subject: Hello\r\n\r\n'))).rejects.toThrow()

  expect(calls).toBe(1)
  await mail.close()
  server.close()
})

const guide = await readFile(fileURLToPath(new URL('../../docs/guides/mail.md', import.meta.url)), 'utf8')

/** The parameter of an address that the guide has for this. */
const parameterFor = (words: string) => new RegExp(`^\\| \`(\\?\\S+)\` \\| [^|]*${words}`, 'm').exec(guide)?.[1] ?? ''

type Way = 'smtps' | 'STARTTLS' | 'nothing'
const refused = 'refused'

it.each<[way: Way, meaning: string, arrives: 'encrypted' | 'in the clear' | typeof refused]>([
  ['smtps', '', refused],
  ['smtps', 'whose certificate nobody has signed', 'encrypted'],
  ['STARTTLS', '', refused],
  ['STARTTLS', 'whose certificate nobody has signed', 'encrypted'],
  ['STARTTLS', 'not encrypted', 'in the clear'],
  ['nothing', '', 'in the clear'],
  ['nothing', 'sends nothing', refused],
])('a mail to a server with %s, by the address that the guide has for “%s”, is %s', async (way, meaning, arrives) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }])
  const server = await startSmtp(way === 'nothing' ? {} : { tls: { key, cert, isFromStart: way === 'smtps' } })
  const parameter = meaning && parameterFor(meaning)
  const mail = openSmtp(`${server.url}/${parameter}`, 'shop@example.com')

  const sent = await mail.send('ada@example.com', Buffer.from('Subject: Hello\r\n\r\nHello\r\n')).then(
    async () => ((await server.nextMail()).isEncrypted ? 'encrypted' : 'in the clear'),
    () => refused,
  )
  await mail.close()
  server.close()

  expect(parameter === '').toBe(meaning === '')
  expect(sent).toBe(arrives)
})
