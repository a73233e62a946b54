/** The letters that the service writes: each in plain text, and as a page that says the same. */
import type { Letter } from '../mail/mailer.js'

type Contents = Pick<Letter, 'subject' | 'text' | 'html'>

/** A login code, for users without an authenticator. */
export function codeLetter({ project, code }: { project: string; code: string }): Contents {
  return {
    subject: `${code} is your login code for ${project}`,
    text: `Your login code for ${project} is ${code}\n\nIt works for five minutes. If you did not just log in, change your password.\n`,
    html: `<p>Your login code for ${escaped(project)} is <strong>${code}</strong></p><p>It works for five minutes. If you did not just log in, change your password.</p>`,
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
