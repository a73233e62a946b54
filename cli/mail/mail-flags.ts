import * as Flags from '@oclif/core/flags'
import type { Mail } from '../../client/protocol/control/mail.js'

export const toFlag = Flags.string({ description: 'only mail for this address', helpValue: 'address' })

/** What of a mail a script wants; one of them, by itself. */
export const partFlags = {
  link: Flags.boolean({ description: 'print the first link, and nothing else', exclusive: ['code'] }),
  code: Flags.boolean({ description: 'print the first code of six digits, and nothing else', exclusive: ['link'] }),
}

export type Part = 'link' | 'code'

export function wantedPart({ link, code }: { link: boolean; code: boolean }): Part | undefined {
  if (link) return 'link'
  return code ? 'code' : undefined
}

/** That part of a mail, if it has one. */
export function partOf(mail: Mail, part: Part): string | undefined {
  return part === 'link' ? mail.links[0] : mail.codes[0]
}
