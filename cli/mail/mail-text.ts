import type { Mail } from '../../client/protocol/control/mail.js'
import { record } from '../terminal/print.js'
import { printableLines } from '../terminal/text-width.js'

/** Formats the headers of a mail and its plain text. */
export function mailText({ id, to, subject, createdAt, refused, text }: Mail): string {
  const head = { id, to, subject, createdAt, ...(refused === null ? {} : { refused }) }
  return `${record(head)}\n\n${printableLines(text).trimEnd()}`
}
