/** Renders small pages for projects whose app has none. */
import { type Html, html } from './html.js'
import { baseStyle, shell } from './shell.js'

export function page(title: string, content: Html): string {
  return shell({ title, style: baseStyle + style, content: html`<h1>${title}</h1>${content}` })
}

interface Form {
  readonly token: string
  readonly fields?: Html
  readonly button: string
}

/** Renders a form that posts to its own address. */
export function form({ token, fields, button }: Form): Html {
  return html`<form method="post">
    <input type="hidden" name="token" value="${token}">
    ${fields}
    <button>${button}</button>
  </form>`
}

const style = `
  h1 { margin-bottom: 0.75rem }
  p { margin: 0 }
  form, p + p { margin-top: 1.25rem }
  small { display: block }
  input { width: 100%; margin: 0.4rem 0 0.6rem; padding: 0.65rem 0.75rem; border: 1px solid var(--line);
    border-radius: 8px; background: transparent; color: inherit; font: inherit }
  button { width: 100%; margin-top: 1.25rem; padding: 0.7rem 1rem; border: 0; border-radius: 8px;
    background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer }
  [type=hidden] + button { margin-top: 0 }
  button:hover { filter: brightness(1.08) }
  input:focus-visible { outline-width: 2px; outline-offset: -1px }
  [role=alert] { color: var(--bad) }
`
