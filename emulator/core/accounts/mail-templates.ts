/** Templates of the mails that the service sends, each as plain text and as HTML with the same content. */
import { html } from '../../pages/html.js'
import type { OutgoingMail } from '../../ports/mail/port.js'

type Contents = Pick<OutgoingMail, 'subject' | 'text' | 'html'>

interface Linked {
  readonly project: string
  readonly link: string
}

export function verificationMail({ project, link }: Linked): Contents {
  return mail({
    subject: `Verify your email address for ${project}`,
    opening: `Please verify that this is your email address for ${project}.`,
    action: { label: 'Verify email address', link },
    closing: 'The link works once, for 24 hours. If you did not ask for it, you can ignore this mail.',
  })
}

export function resetMail({ project, link }: Linked): Contents {
  return mail({
    subject: `Reset your password for ${project}`,
    opening: `A new password for ${project} was requested for this address.`,
    action: { label: 'Choose a new password', link },
    closing: 'The link works once, for one hour. If it was not you, you can ignore this mail: nothing has changed.',
  })
}

/** Carries a login code, for users without an authenticator app. */
export function codeMail({ project, code }: { project: string; code: string }): Contents {
  return mail({
    subject: `${code} is your login code for ${project}`,
    opening: `Your login code for ${project}:`,
    code,
    closing: 'It works once, for five minutes. If you did not just log in, change your password.',
  })
}

interface Parts {
  readonly subject: string
  readonly opening: string
  readonly action?: { readonly label: string; readonly link: string }
  readonly code?: string
  readonly closing: string
}

function mail({ subject, opening, action, code, closing }: Parts): Contents {
  const middle = action?.link ?? code ?? ''
  const shown = action
    ? html`<p style="margin:24px 0"><a href="${action.link}" style="${button}">${action.label}</a></p>
    <p style="${small}">Or open this address:<br>${action.link}</p>`
    : html`<p style="${large}">${middle}</p>`
  return {
    // Removes line breaks, because one would start another header.
    subject: subject.replaceAll(/\p{Cc}+/gu, ' '),
    text: `${opening}\n\n${middle}\n\n${closing}\n`,
    html: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light">
<title>${subject}</title>
</head>
<body style="${body}">
  <div style="${card}">
    <p style="margin:0">${opening}</p>
    ${shown}
    <p style="${small};${line}">${closing}</p>
  </div>
</body>
</html>
`.text,
  }
}

// Uses inline styles, because mail programs ignore style sheets.
const body = 'margin:0;padding:32px 16px;background:#f4f5f7;color:#1c2430;font:16px/1.5 system-ui,sans-serif'
const card = 'max-width:30rem;margin:0 auto;padding:32px;background:#fff;border-radius:12px;overflow-wrap:anywhere'
const button =
  'display:inline-block;padding:12px 20px;background:#1f5fd0;color:#fff;border-radius:8px;font-weight:600;text-decoration:none'
const large = 'margin:16px 0;font:600 32px/1.4 ui-monospace,monospace;letter-spacing:0.15em'
const small = 'margin:0;font-size:13px;color:#5b6675'
const line = 'margin-top:24px;padding-top:16px;border-top:1px solid #e3e6eb'
