/** The emulator's mailbox, by its control API. */
import type { Json } from '../../client/protocol/model/json.js'
import { segment } from '../../client/protocol/wire/paths/encode.js'
import type { Control } from '../target/control.js'

/** A mail as lists show it; a type alias, so that it can be printed as a row. */
export type MailHead = {
  readonly id: string
  readonly project: string
  readonly to: string
  readonly subject: string
  readonly createdAt: string
  /** Why it was not sent; `null` for all that were. */
  readonly refused: string | null
}

/** A mail with its contents. */
export type Mail = MailHead & {
  readonly text: string
  readonly html: string
  /** Addresses in the text, in its order. */
  readonly links: readonly string[]
  /** Runs of six digits in the text. */
  readonly codes: readonly string[]
  /** The whole message, as it travels. */
  readonly raw: string
}

export interface WhichMails {
  /** The address of who they are for. */
  readonly to?: string | undefined
  /** Only what came after the mail of that id. */
  readonly after?: string | undefined
}

/** The newest first. */
export async function listMails(control: Control, which: WhichMails & { limit?: number }): Promise<MailHead[]> {
  const answer = await control({ method: 'GET', path: '/mail', query: { ...which } })
  return (answer as unknown as { mails: MailHead[] }).mails
}

/** @throws {SvcError} `NOT_FOUND` */
export async function getMail(control: Control, id: string): Promise<Mail> {
  return mailOf(await control({ method: 'GET', path: `/mail/${segment(id)}` }))
}

/** The newest mail of a kind, as soon as there is one. @throws {SvcError} `NOT_FOUND` if none comes */
export async function waitForMail(control: Control, which: WhichMails, seconds: number): Promise<Mail> {
  return mailOf(await control({ method: 'GET', path: '/mail/wait', query: { ...which, timeout: seconds } }))
}

/** Deletes mails; how many there were. */
export async function clearMails(control: Control, { to }: Pick<WhichMails, 'to'>): Promise<number> {
  const answer = await control({ method: 'DELETE', path: '/mail', query: { to } })
  return (answer as { count: number }).count
}

function mailOf(answer: Json): Mail {
  return answer as unknown as Mail
}
