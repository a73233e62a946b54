/** How mail is sent beside landing in the mailbox: each by an address of its own. Contract 6.8. */
interface MailTransport {
  /** Of the address, with its colon. */
  readonly schemes: readonly string[]
  readonly example: string
  /** What help calls it. */
  readonly summary: string
  /** The environment variable that says the address where no flag does. */
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

/** The addresses by which mail is sent. Without any, it only lands in the mailbox. */
export type MailUrls = { readonly [Name in MailTransportName as `${Name}Url`]: string | undefined }
