import { createHash } from 'node:crypto'
import { baseStyle } from '../../pages/shell.js'

export const style = `${baseStyle}
  h1 + p { margin: 0.25rem 0 1.5rem; color: var(--quiet) }
  code { font-size: 0.9em }
  button, input, select, textarea { font: inherit; color: inherit }
  .accounts { display: grid; gap: 0.5rem; margin: 0 0 1.25rem; padding: 0; list-style: none }
  .account { display: flex; align-items: center; gap: 0.85rem; width: 100%; padding: 0.7rem 0.85rem; text-align: left;
    background: none; border: 1px solid var(--line); border-radius: 10px; cursor: pointer }
  .account:hover { background: var(--raised); border-color: var(--accent) }
  .account span { display: grid; min-width: 0 }
  .account b, .account small { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
  .account i { display: grid; place-items: center; flex: none; width: 2.4rem; height: 2.4rem; border-radius: 50%;
    background: var(--accent); color: var(--on-accent); font-style: normal; font-weight: 600 }
  fieldset { margin: 0 0 1rem; padding: 1rem 0 0; border: 0; border-top: 1px solid var(--line) }
  label { margin: 0 0 0.85rem }
  label.check { display: flex; align-items: center; gap: 0.5rem; font-weight: 400 }
  select, textarea, input:not([type=checkbox]) { width: 100%; font-weight: 400; margin-top: 0.3rem; padding: 0.55rem 0.7rem;
    background: var(--card); border: 1px solid var(--line); border-radius: 8px }
  textarea { font: 0.85em/1.5 ui-monospace, monospace; resize: vertical }
  .act, .plain { padding: 0.55rem 1rem; border-radius: 8px; cursor: pointer }
  .act { background: var(--accent); color: var(--on-accent); border: 0; font-weight: 600 }
  .plain { background: none; border: 1px solid var(--line) }
  .wide { width: 100% }
  .row { display: flex; gap: 0.5rem }
  details { border-top: 1px solid var(--line); padding: 0.85rem 0 }
  details details { margin-left: 0.9rem }
  details > form { margin-top: 0.85rem }
  summary { cursor: pointer; font-weight: 600 }
  .notice { margin: 0 0 1.25rem; padding: 0.75rem 0.9rem; border-radius: 10px; background: var(--warn-back);
    color: var(--warn) }
  .notice form { margin: 0.5rem 0 0 }
`

/** Lets the page post forms anywhere, because clients choose where a form leads on to. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  // With `no-referrer`, browsers would send forms with the origin "null".
  'referrer-policy': 'same-origin',
}
