/** The service's own small pages, for projects whose app has none. They need no script. */
import { escaped } from '../core/accounts/letters.js'

/** A page around that content; `title` is text, `content` is HTML. */
export function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
<main>
  <h1>${escaped(title)}</h1>
  ${content}
</main>
</html>
`
}

/** A form that posts to where it stands. */
export function form({ token, fields = '', button }: { token: string; fields?: string; button: string }): string {
  return `<form method="post">
    <input type="hidden" name="token" value="${escaped(token)}">
    ${fields}
    <button>${escaped(button)}</button>
  </form>`
}

const style = `
  :root {
    color-scheme: light dark;
    --back: light-dark(#f4f5f7, #14171c);
    --card: light-dark(#ffffff, #1e232b);
    --text: light-dark(#1c2430, #e8ebf0);
    --quiet: light-dark(#5b6675, #9aa5b5);
    --line: light-dark(#c6ccd6, #414b5a);
    --accent: light-dark(#1f5fd0, #6fa0ff);
    --on-accent: light-dark(#ffffff, #10151d);
    --bad: light-dark(#a4161a, #ff9a9a);
  }
  * { box-sizing: border-box }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--back);
    color: var(--text); font: 16px/1.5 system-ui, sans-serif }
  main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--card); border-radius: 14px;
    box-shadow: 0 1px 2px #0002, 0 12px 40px #0001; overflow-wrap: anywhere }
  h1 { margin: 0 0 0.75rem; font-size: 1.4rem; line-height: 1.25; text-wrap: balance }
  p { margin: 0 }
  form, p + p { margin-top: 1.25rem }
  label { display: block; font-weight: 600 }
  small { display: block; color: var(--quiet) }
  input { width: 100%; margin: 0.4rem 0 0.6rem; padding: 0.65rem 0.75rem; border: 1px solid var(--line);
    border-radius: 8px; background: transparent; color: inherit; font: inherit }
  button { width: 100%; margin-top: 1.25rem; padding: 0.7rem 1rem; border: 0; border-radius: 8px;
    background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer }
  [type=hidden] + button { margin-top: 0 }
  button:hover { filter: brightness(1.08) }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  input:focus-visible { outline-width: 2px; outline-offset: -1px }
  [role=alert] { color: var(--bad) }
`
