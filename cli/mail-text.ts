import type { Mail } from './mails.js'
import { record } from './print.js'
import { printableLines } from './text-width.js'

/** A mail as the terminal shows it: its head, then its plain text. */
export function mailText({ id, to, subject, createdAt, refused, text }: Mail): string {
  const head = { id, to, subject, createdAt, ...(refused === null ? {} : { refused }) }
  return `${record(head)}\n\n${printableLines(text).trimEnd()}`
}
