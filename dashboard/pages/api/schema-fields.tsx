/** Shows a schema as an indented list of fields. */
import type { Description, Schema } from './description.js'
import { alternativesOf, limitWords, typeWords } from './schema-words.js'

const mostDepth = 5

interface SchemaProps {
  readonly schema: Schema
  readonly schemaOf: Description['schemaOf']
  readonly depth?: number
}

export function SchemaFields({ schema: given, schemaOf, depth = 0 }: SchemaProps) {
  const schema = schemaOf(given)
  if (depth > mostDepth) return null
  const inner = { schemaOf, depth: depth + 1 }
  const alternatives = alternativesOf(schema).map(schemaOf)
  if (alternatives.some((each) => hasFields(each, schemaOf))) {
    return alternatives.map((each, at) => (
      <div key={at}>
        <p className="either dim">
          {at === 0 ? 'either' : 'or'} {typeWords(each, schemaOf)}
        </p>
        <SchemaFields schema={each} {...inner} />
      </div>
    ))
  }
  if (schema.items) return <SchemaFields schema={schema.items} {...inner} />
  const { properties = {}, additionalProperties, required = [] } = schema
  const fields = Object.entries(properties).map(([name, field]) => ({ name, field, isAny: false }))
  if (typeof additionalProperties === 'object')
    fields.push({ name: 'any name', field: additionalProperties, isAny: true })
  if (fields.length === 0) return null
  return (
    <ul className="schema">
      {fields.map(({ name, field, isAny }) => (
        <li key={name}>
          <FieldLine
            name={isAny ? <i>{name}</i> : name}
            isRequired={required.includes(name)}
            type={typeWords(field, schemaOf)}
            words={[schemaOf(field).description, limitWords(schemaOf(field))]}
          />
          <SchemaFields schema={field} {...inner} />
        </li>
      ))}
    </ul>
  )
}

function hasFields(given: Schema, schemaOf: Description['schemaOf']): boolean {
  const schema = schemaOf(given)
  return (
    schema.properties !== undefined || typeof schema.additionalProperties === 'object' || schema.items !== undefined
  )
}

interface FieldLineProps {
  readonly name: React.ReactNode
  readonly isRequired: boolean
  readonly type: string
  readonly words: readonly (string | undefined)[]
}

/** Shows one field with its type and description. */
export function FieldLine({ name, isRequired, type, words }: FieldLineProps) {
  const said = words.filter((each) => each !== undefined && each !== '').join(' · ')
  return (
    <div className="schema-line">
      <span className="mono schema-name">{name}</span>
      <span className="mono dim schema-type">{type}</span>
      {isRequired ? <span className="warn">required</span> : null}
      {said === '' ? null : <p className="dim">{said}</p>}
    </div>
  )
}
