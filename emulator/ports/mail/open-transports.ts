/** Opens the configured mail transports. */
import type { MailTransportName, MailUrls } from '../../../client/protocol/model/mail-transports.js'
import type { MailTransport } from './port.js'
import { openSmtp } from './smtp.js'

/** @param from the sender of mails */
type Open = (url: string, from: string) => MailTransport

const openers: { readonly [Name in MailTransportName as `${Name}Url`]: Open } = {
  smtpUrl: openSmtp,
}

export function openMailTransports(urls: MailUrls, from: string): readonly MailTransport[] {
  const names = Object.keys(openers) as (keyof typeof openers)[]
  return names.flatMap((name) => {
    const url = urls[name]
    return url === undefined ? [] : [openers[name](url, from)]
  })
}
