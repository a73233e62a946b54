/** Shows the TypeScript that follows from a schema, also before it is saved. */
import { useMemo } from 'react'
import type { Collection } from '../../../../client/index.js'
import type { Schema } from '../../../../client/protocol/model/collection.js'
import { counted } from '../../../../client/protocol/model/figures.js'
import { declareSchema } from '../../../../types/declare-schema.js'
import { Copy } from '../../../parts/button.js'

interface TypesProps {
  readonly collection: Pick<Collection, 'name' | 'permissions'>
  readonly saved: Schema
  readonly schema: Schema
}

export function SchemaTypes({ collection: { name, permissions }, saved, schema }: TypesProps) {
  const text = useMemo(() => declareSchema({ name, permissions, schema }), [name, permissions, schema])
  const before = useMemo(
    () => declareSchema({ name, permissions, schema: saved }).split('\n'),
    [name, permissions, saved],
  )
  const lines = text.split('\n')
  const isChanged = (line: string) => line !== '' && !before.includes(line)
  const changes = lines.filter(isChanged).length
  return (
    <section aria-label="TypeScript">
      <h4>
        TypeScript{' '}
        <small>
          {changes === 0 ? 'as svc types generate writes it' : `as it will be · ${counted(changes, 'new line')}`}
        </small>
        <Copy text={text} />
      </h4>
      <pre className="json json-lines mono">
        {lines.map((line, at) => (
          <span key={at} className={isChanged(line) ? 'changed' : ''}>
            {colourLine(line)}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  )
}

const token = /(\/\*\*.*\*\/)|('(?:\\.|[^'\\])*')|\b(export|interface|type)\b|([A-Za-z]+)(?=[\][<>;| )]*$|<| \|)/g

function colourLine(line: string) {
  const parts = []
  let end = 0
  for (const match of line.matchAll(token)) {
    const [whole, comment, text, keyword] = match
    const kind = comment === undefined ? (text === undefined ? (keyword === undefined ? 'b' : 'k') : 's') : 'dim'
    parts.push(line.slice(end, match.index))
    parts.push(
      <span key={match.index} className={kind}>
        {whole}
      </span>,
    )
    end = match.index + whole.length
  }
  return [...parts, line.slice(end)]
}
