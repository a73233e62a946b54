/** Lists, reads and deletes the mails that the service has written, for its owner. */

import { setTimeout as pause } from 'node:timers/promises'
import { isId } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import {
  deleteMail,
  deleteMails,
  type MailQuery,
  type StoredMail,
  selectMail,
  selectMails,
} from '../../store/accounts/mails.js'
import type { Backend } from '../context.js'

/** A stored mail with its links and codes extracted. */
export interface ReadMail extends StoredMail {
  /** Links in the text, in order. */
  readonly links: readonly string[]
  /** Runs of six digits in the text. */
  readonly codes: readonly string[]
  /** The whole message as sent over SMTP. */
  readonly raw: string
}

const pollMilliseconds = 100

/** Lists the newest mails first. */
export function listMails({ db }: Backend, query: MailQuery): Promise<StoredMail[]> {
  return selectMails(db, requireMailId(query))
}

/** @throws {SvcError} `NOT_FOUND` */
export async function readMail({ db }: Backend, id: string): Promise<ReadMail> {
  const mail = isId(id) ? await selectMail(db, id) : undefined
  if (!mail) throw new SvcError('NOT_FOUND', `No mail "${id.slice(0, 80)}".`)
  return { ...mail, ...linksAndCodesIn(mail.text) }
}

/** Extracts the links and codes from the text of a mail. */
export function linksAndCodesIn(text: string): Pick<ReadMail, 'links' | 'codes'> {
  return {
    links: text.match(/https?:\/\/\S+/g) ?? [],
    codes: text.match(/(?<![\w-])\d{6}(?![\w-])/g) ?? [],
  }
}

/**
 * Waits for a sent mail that matches, and returns the newest.
 *
 * @param milliseconds how long to wait at most
 * @throws {SvcError} `NOT_FOUND` if none arrives in time
 */
export async function waitForMail(
  backend: Backend,
  query: Omit<MailQuery, 'limit' | 'isSent'>,
  milliseconds: number,
): Promise<ReadMail> {
  const until = performance.now() + milliseconds
  for (;;) {
    const [newest] = await selectMails(backend.db, requireMailId({ ...query, isSent: true, limit: 1 }))
    if (newest) return readMail(backend, newest.id)
    if (performance.now() >= until) throw new SvcError('NOT_FOUND', 'No matching mail arrived in time.')
    await pause(pollMilliseconds)
  }
}

/** @throws {SvcError} `NOT_FOUND` */
export async function removeMail({ db }: Backend, id: string): Promise<void> {
  if (isId(id) && (await deleteMail(db, id))) return
  throw new SvcError('NOT_FOUND', `No mail "${id.slice(0, 80)}".`)
}

/** Deletes mails and returns how many there were. */
export function clearMails({ db }: Backend, which: Pick<MailQuery, 'project' | 'to'>): Promise<number> {
  return deleteMails(db, which)
}

/** @throws {SvcError} `INVALID_QUERY` unless `after` is an id */
function requireMailId(query: MailQuery): MailQuery {
  if (query.after === undefined || isId(query.after)) return query
  const message = '"after" must be the id of a mail.'
  throw new SvcError('INVALID_QUERY', message, [{ in: 'query', path: ['after'], message, type: 'value' }])
}
