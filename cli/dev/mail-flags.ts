/** The flags that say how mail is sent, one for each way. */
import * as Flags from '@oclif/core/flags'
import { type MailTransportName, type MailUrls, mailTransports } from '../../client/protocol/model/mail-transports.js'
import { misuse } from '../base/failure.js'

const flag = (name: MailTransportName, more: string) => {
  const { summary, variable, schemes } = mailTransports[name]
  return Flags.string({ description: `${summary}${more} [${variable}]`, helpValue: `${schemes[0]}//…` })
}

const flags = (more: string) => ({ smtp: flag('smtp', more) }) satisfies Record<MailTransportName, unknown>

export const mailFlags = flags(', beside keeping it')

/** Those of a service that keeps none. */
export const sendingFlags = flags('')

/** The addresses that flags or environment say. @throws {CliError} for what is not an address of that kind */
export function readMailUrls(flags: { readonly [Name in MailTransportName]?: string | undefined }): MailUrls {
  const url = (name: MailTransportName) => readUrl(name, flags[name] ?? process.env[mailTransports[name].variable])
  return { smtpUrl: url('smtp') }
}

/** Addresses of mail servers have passwords in them, so a wrong one is not repeated. */
function readUrl(name: MailTransportName, text: string | undefined): string | undefined {
  if (!text) return undefined
  const { schemes, variable, example } = mailTransports[name]
  if (URL.canParse(text) && (schemes as readonly string[]).includes(new URL(text).protocol)) return text
  throw misuse(`What --${name} or ${variable} says is not the address of a mail server.`, `Write ${example}.`)
}
