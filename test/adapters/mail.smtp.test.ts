import { openSmtp } from '../../emulator/ports/mail/smtp.js'
import { startSmtp } from '../fixtures/mail/smtp.js'
import { mailTransportCases } from './mail.cases.js'

mailTransportCases('SMTP', async (refusal) => {
  const server = await startSmtp(refusal === undefined ? {} : { refusal })
  return { open: (from) => openSmtp(server.url, from), next: server.nextMail, stop: server.close }
})
