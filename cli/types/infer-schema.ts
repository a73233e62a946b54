/** Infers a schema that every document it has read satisfies. */
import type { FieldRule, FieldType, Schema } from '../../client/protocol/model/collection.js'
import { operatorNames } from '../../client/protocol/model/document.js'
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
    { type: fieldTypeFor(value), ...(isOptional ? {} : { required: true }) },
  ])
  return { ...Object.fromEntries(rules), ...schema }
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
