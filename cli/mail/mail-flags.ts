import * as Flags from '@oclif/core/flags'
import type { Mail } from '../../client/protocol/control/mail.js'

export const toFlag = Flags.string({ description: 'only mail for this address', helpValue: 'address' })

/** Select the part of a mail that a script needs. */
export const partFlags = {
  link: Flags.boolean({ description: 'print only the first link', exclusive: ['code'] }),
  code: Flags.boolean({ description: 'print only the first six-digit code', exclusive: ['link'] }),
}

export type Part = 'link' | 'code'

export function wantedPart({ link, code }: { link: boolean; code: boolean }): Part | undefined {
  if (link) return 'link'
  return code ? 'code' : undefined
}

/** Returns a part of a mail, if it has one. */
export function readPart(mail: Mail, part: Part): string | undefined {
  return part === 'link' ? mail.links[0] : mail.codes[0]
}
