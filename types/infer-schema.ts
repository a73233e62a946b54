/** Infers a schema that every document it has read satisfies. */
import type { FieldRule, FieldType, Schema } from '../client/protocol/model/collection.js'
import { operatorNames } from '../client/protocol/model/document.js'
import { formatCount } from '../client/protocol/model/figures.js'
import { countValues } from './observe.js'
import type { ReadCollection } from './read-collections.js'
import { documentShape, type Shape } from './shapes.js'

/**
 * Requires the fields that every document has. Fields with mixed types or `null` accept any value. Keeps the
 * collection's existing rules.
 */
export function inferSchema({ schema, documents }: Pick<ReadCollection, 'schema' | 'documents'>): Schema {
  const shape = documentShape(documents, {}, { linkOf: () => undefined })
  const fields = shape.kind === 'object' ? shape.fields.filter(({ name }) => !operatorNames.includes(name)) : []
  const rules = fields.map(({ name, shape: value, isOptional }): [string, FieldRule] => [
    name,
    { type: fieldTypeFor(value), ...optionsFor(value), ...(isOptional ? {} : { required: true }) },
  ])
  return { ...Object.fromEntries(rules), ...schema }
}

/** Proposes the allowed values where there are few, and the format that all texts share. */
function optionsFor(shape: Shape): Pick<FieldRule, 'enum' | 'format'> {
  if (shape.kind === 'choices') return { enum: shape.values }
  if (shape.kind !== 'text' || (shape.format !== 'email' && shape.format !== 'url')) return {}
  return { format: shape.format }
}

/** Returns how many of the documents have each field, such as `38 of 40`. */
export function countFields({ documents: { objects } }: Pick<ReadCollection, 'documents'>): Map<string, string> {
  const fields = [...(objects?.fields ?? [])]
  return new Map(
    fields.map(([name, seen]) => [name, `${formatCount(countValues(seen))} of ${formatCount(objects?.count ?? 0)}`]),
  )
}

function fieldTypeFor(shape: Shape): FieldType {
  switch (shape.kind) {
    case 'text':
      if (shape.format === 'date' || shape.format === 'date-time' || shape.format === 'datetime') return 'datetime'
      return shape.format === 'file' ? 'file' : 'string'
    case 'link':
    case 'choices':
      return 'string'
    case 'number':
      return shape.isInteger ? 'integer' : 'number'
    case 'boolean':
    case 'array':
      return shape.kind
    case 'object':
    case 'dictionary':
      return 'object'
    default:
      return 'any'
  }
}
