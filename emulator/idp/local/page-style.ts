import { createHash } from 'node:crypto'

export const style = `
  :root {
    color-scheme: light dark;
    --back: light-dark(#f4f5f7, #14171c);
    --card: light-dark(#ffffff, #1e232b);
    --raised: light-dark(#f7f8fa, #262c36);
    --text: light-dark(#1c2430, #e8ebf0);
    --quiet: light-dark(#5b6675, #9aa5b5);
    --line: light-dark(#dde1e7, #38414e);
    --accent: light-dark(#1f5fd0, #6fa0ff);
    --on-accent: light-dark(#ffffff, #10151d);
    --warn: light-dark(#8a4b00, #ffc27a);
    --warn-back: light-dark(#fff4e3, #3a2c18);
  }
  * { box-sizing: border-box }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--back);
    color: var(--text); font: 16px/1.5 system-ui, sans-serif }
  main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--card); border-radius: 14px;
    box-shadow: 0 1px 2px #0002, 0 12px 40px #0001 }
  h1 { margin: 0; font-size: 1.4rem; line-height: 1.25 }
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
  small { color: var(--quiet) }
  fieldset { margin: 0 0 1rem; padding: 1rem 0 0; border: 0; border-top: 1px solid var(--line) }
  label { display: block; margin: 0 0 0.85rem; font-weight: 600 }
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
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`

/** The page may show itself and post forms. Where a form leads on to is the client's affair, so that is left open. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  // Without a referrer, a browser would not say either where a form comes from.
  'referrer-policy': 'same-origin',
}
