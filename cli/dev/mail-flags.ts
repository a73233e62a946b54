/** Flags that configure how mail is sent, one for each transport. */
import * as Flags from '@oclif/core/flags'
import {
  type MailTransportName,
  type MailUrls,
  type MailVariable,
  mailTransports,
} from '../../client/protocol/model/mail-transports.js'
import { misuse } from '../base/failure.js'

const flag = (name: MailTransportName, more: string) => {
  const { summary, variable, schemes } = mailTransports[name]
  return Flags.string({ description: `${summary}${more} [${variable}]`, helpValue: `${schemes[0]}//…` })
}

const flags = (more: string) => ({ smtp: flag('smtp', more) }) satisfies Record<MailTransportName, unknown>

export const mailFlags = flags(', in addition to the mailbox')

/** For a service without a mailbox. */
export const sendingFlags = flags('')

/** Reads the addresses from flags or variables. @throws {CliFailure} for an invalid address */
export function readMailUrls(
  flags: { readonly [Name in MailTransportName]?: string | undefined },
  readVariable: (name: MailVariable) => string | undefined = (name) => process.env[name],
): MailUrls {
  const url = (name: MailTransportName) => readUrl(name, flags[name] ?? readVariable(mailTransports[name].variable))
  return { smtpUrl: url('smtp') }
}

/** Does not repeat an invalid address, because it may contain a password. */
function readUrl(name: MailTransportName, text: string | undefined): string | undefined {
  if (!text) return undefined
  const { schemes, variable, example } = mailTransports[name]
  if (URL.canParse(text) && (schemes as readonly string[]).includes(new URL(text).protocol)) return text
  throw misuse(`--${name} or ${variable} is not the address of a mail server.`, `Use ${example}.`)
}
