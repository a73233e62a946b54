/** Transports that send mail in addition to the local mailbox. Each is configured by a URL. Contract 6.8. */
interface MailTransport {
  /** URL schemes, with a colon. */
  readonly schemes: readonly string[]
  readonly example: string
  /** Description in help. */
  readonly summary: string
  /** Environment variable with the URL, used without a flag. */
  readonly variable: string
}

export const mailTransports = {
  smtp: {
    schemes: ['smtp:', 'smtps:'],
    example: 'smtp://user:password@host:587',
    summary: 'a server to send mail by',
    variable: 'SVC_SMTP_URL',
  },
} as const satisfies Record<string, MailTransport>

export type MailTransportName = keyof typeof mailTransports
export type MailVariable = (typeof mailTransports)[MailTransportName]['variable']

export const mailVariables: readonly MailVariable[] = Object.values(mailTransports).map(({ variable }) => variable)

/** URLs of mail transports. Without any, mail stays in the local mailbox. */
export type MailUrls = { readonly [Name in MailTransportName as `${Name}Url`]: string | undefined }
