/** Opens the configured mail transports. */
import {
  type MailTransportName,
  type MailUrls,
  type MailVariable,
  mailTransports,
} from '../../../client/protocol/model/mail-transports.js'
import type { MailTransport } from './port.js'
import { openSmtp } from './smtp.js'

/** @param from the sender of mails */
type Open = (url: string, from: string) => MailTransport

const openers: { readonly [Name in MailTransportName]: Open } = {
  smtp: openSmtp,
}

/** A transport with the variable that configures it. */
interface Configured extends MailTransport {
  readonly variable: MailVariable
}

export function openMailTransports(urls: MailUrls, from: string): readonly Configured[] {
  const names = Object.keys(openers) as MailTransportName[]
  return names.flatMap((name) => {
    const url = urls[`${name}Url`]
    return url === undefined ? [] : [{ ...openers[name](url, from), variable: mailTransports[name].variable }]
  })
}
