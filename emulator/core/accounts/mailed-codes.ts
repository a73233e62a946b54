import { randomInt } from 'node:crypto'
import type { ComposedMail } from '../../ports/mail/port.js'
import type { Context } from '../context.js'
import { codeMail } from './mail-templates.js'

/**
 * Generates a six-digit login code, for users without an authenticator app in projects that require a second factor.
 */
export function newMailedCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

export function composeCode({ backend, project }: Context, to: string, code: string): Promise<ComposedMail> {
  return backend.mail.compose({ project: project.id, to, ...codeMail({ project: project.name, code }) })
}
