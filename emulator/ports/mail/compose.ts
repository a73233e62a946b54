import type { ComposedMail, OutgoingMail } from './port.js'

export interface Composing {
  /** The project's current time. */
  now(project: string): Date
  newId(at: Date): string
  /** The sender of mails. */
  readonly from: string
}

/** Composes the message without sending or storing it. Its id uses the sender's domain. */
export async function composeMail({ now, newId, from }: Composing, mail: OutgoingMail): Promise<ComposedMail> {
  const { project, to, subject, text, html } = mail
  const at = now(project)
  const id = newId(at)
  const messageId = `<${id}@${parseDomain(from)}>`
  const message = { from, to, subject, text, html, date: at, messageId, newline: 'windows' }
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const raw = await new MailComposer(message).compile().build()
  return { id, mail, createdAt: at.toISOString(), raw }
}

function parseDomain(from: string): string {
  return /@([a-z0-9.-]+)>?\s*$/i.exec(from)?.[1] ?? 'svc.localhost'
}
