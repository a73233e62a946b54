/** Shows JSON indented and coloured. Cuts long texts. */
import { memo } from 'react'
import { parseJson } from '../../client/protocol/model/json.js'

const maxCharacters = 60_000

/** Indents JSON, and returns other text unchanged. */
export function pretty(text: string): string {
  const value = parseJson(text)
  return value === null ? text : JSON.stringify(value, undefined, 2)
}

export const JsonText = memo(function JsonText({ text }: { text: string }) {
  const shown = text.slice(0, maxCharacters)
  return (
    <pre className="json mono">
      {tokens(shown)}
      {shown.length < text.length ? <i className="dim">{`\n… ${text.length - shown.length} more characters`}</i> : null}
    </pre>
  )
})

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function tokens(text: string) {
  const parts = []
  let end = 0
  for (const match of text.matchAll(token)) {
    const [whole, quoted, colon, word] = match
    if (match.index > end) parts.push(text.slice(end, match.index))
    const kind = colon === undefined ? (quoted === undefined ? (word === undefined ? 'n' : 'b') : 's') : 'k'
    parts.push(
      <span key={match.index} className={kind}>
        {whole}
      </span>,
    )
    end = match.index + whole.length
  }
  parts.push(text.slice(end))
  return parts
}
