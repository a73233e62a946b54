/** The common frame of all pages. They need no script. */
import { Html, html } from './html.js'

interface Shell {
  readonly title: string
  /** CSS, inserted unescaped: {@link baseStyle} and the styles of the page. */
  readonly style: string
  readonly content: Html
}

export function shell({ title, style, content }: Shell): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(style)}</style>
<main>${content}</main>
</html>
`.text
}

export const baseStyle = `
  :root {
    color-scheme: light dark;
    --back: light-dark(#f4f5f7, #14171c);
    --card: light-dark(#ffffff, #1e232b);
    --raised: light-dark(#f7f8fa, #262c36);
    --text: light-dark(#1c2430, #e8ebf0);
    --quiet: light-dark(#5b6675, #9aa5b5);
    --line: light-dark(#c6ccd6, #414b5a);
    --accent: light-dark(#1f5fd0, #6fa0ff);
    --on-accent: light-dark(#ffffff, #10151d);
    --bad: light-dark(#a4161a, #ff9a9a);
    --warn: light-dark(#8a4b00, #ffc27a);
    --warn-back: light-dark(#fff4e3, #3a2c18);
  }
  * { box-sizing: border-box }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--back);
    color: var(--text); font: 16px/1.5 system-ui, sans-serif }
  main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--card); border-radius: 14px;
    box-shadow: 0 1px 2px #0002, 0 12px 40px #0001; overflow-wrap: anywhere }
  h1 { margin: 0; font-size: 1.4rem; line-height: 1.25; text-wrap: balance }
  small { color: var(--quiet) }
  label { display: block; font-weight: 600 }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`
