/** Shows a schema as an indented list of fields. */

import { describeLimits, describeType, listAlternatives } from './describe-schema.js'
import type { Description, Schema } from './description.js'

const maxDepth = 5

interface SchemaProps {
  readonly schema: Schema
  readonly resolveSchema: Description['resolveSchema']
  readonly depth?: number
}

export function SchemaFields({ schema: given, resolveSchema, depth = 0 }: SchemaProps) {
  const schema = resolveSchema(given)
  if (depth > maxDepth) return null
  const inner = { resolveSchema, depth: depth + 1 }
  const alternatives = listAlternatives(schema).map(resolveSchema)
  if (alternatives.some((each) => hasFields(each, resolveSchema))) {
    return alternatives.map((each, at) => (
      <div key={at}>
        <p className="either dim">
          {at === 0 ? 'either' : 'or'} {describeType(each, resolveSchema)}
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
            type={describeType(field, resolveSchema)}
            notes={[resolveSchema(field).description, describeLimits(resolveSchema(field))]}
          />
          <SchemaFields schema={field} {...inner} />
        </li>
      ))}
    </ul>
  )
}

function hasFields(given: Schema, resolveSchema: Description['resolveSchema']): boolean {
  const schema = resolveSchema(given)
  return (
    schema.properties !== undefined || typeof schema.additionalProperties === 'object' || schema.items !== undefined
  )
}

interface FieldLineProps {
  readonly name: React.ReactNode
  readonly isRequired: boolean
  readonly type: string
  readonly notes: readonly (string | undefined)[]
}

/** Shows one field with its type and description. */
export function FieldLine({ name, isRequired, type, notes }: FieldLineProps) {
  const said = notes.filter((each) => each !== undefined && each !== '').join(' · ')
  return (
    <div className="schema-line">
      <span className="mono schema-name">{name}</span>
      <span className="mono dim schema-type">{type}</span>
      {isRequired ? <span className="warn">required</span> : null}
      {said === '' ? null : <p className="dim">{said}</p>}
    </div>
  )
}
