/** What the service's owner sees of the mails that were written. */

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

/** A mail taken apart. */
export interface ReadMail extends StoredMail {
  /** Addresses in the text, in its order. */
  readonly links: readonly string[]
  /** Runs of six digits in the text. */
  readonly codes: readonly string[]
  /** The whole message, as it travels. */
  readonly raw: string
}

const pollMilliseconds = 100

/** The newest first. */
export function listMails({ db }: Backend, query: MailQuery): Promise<StoredMail[]> {
  return selectMails(db, readable(query))
}

/** @throws {SvcError} `NOT_FOUND` */
export async function readMail({ db }: Backend, id: string): Promise<ReadMail> {
  const mail = isId(id) ? await selectMail(db, id) : undefined
  if (!mail) throw new SvcError('NOT_FOUND', `No mail "${id.slice(0, 80)}".`)
  return { ...mail, ...linksAndCodesIn(mail.text) }
}

/** The links and codes in a mail. */
export function linksAndCodesIn(text: string): Pick<ReadMail, 'links' | 'codes'> {
  return {
    links: text.match(/https?:\/\/\S+/g) ?? [],
    codes: text.match(/(?<![\w-])\d{6}(?![\w-])/g) ?? [],
  }
}

/**
 * The newest mail of a kind that was sent, as soon as there is one.
 *
 * @param milliseconds how long to wait at most
 * @throws {SvcError} `NOT_FOUND` if none comes
 */
export async function waitForMail(
  backend: Backend,
  query: Omit<MailQuery, 'limit' | 'isSent'>,
  milliseconds: number,
): Promise<ReadMail> {
  const until = performance.now() + milliseconds
  for (;;) {
    const [newest] = await selectMails(backend.db, readable({ ...query, isSent: true, limit: 1 }))
    if (newest) return readMail(backend, newest.id)
    if (performance.now() >= until) throw new SvcError('NOT_FOUND', 'No such mail came.')
    await pause(pollMilliseconds)
  }
}

/** @throws {SvcError} `NOT_FOUND` */
export async function removeMail({ db }: Backend, id: string): Promise<void> {
  if (isId(id) && (await deleteMail(db, id))) return
  throw new SvcError('NOT_FOUND', `No mail "${id.slice(0, 80)}".`)
}

/** Deletes mails; how many there were. */
export function clearMails({ db }: Backend, which: Pick<MailQuery, 'project' | 'to'>): Promise<number> {
  return deleteMails(db, which)
}

/** @throws {SvcError} `INVALID_QUERY` unless `after` is an id */
function readable(query: MailQuery): MailQuery {
  if (query.after === undefined || isId(query.after)) return query
  const message = '"after" takes the id of a mail.'
  throw new SvcError('INVALID_QUERY', message, [{ in: 'query', path: ['after'], message, type: 'value' }])
}
