/** Infers a schema that every document it has read satisfies. */
import type { FieldRule, Schema, ValueRule } from '../client/protocol/model/collection.js'
import { operatorNames } from '../client/protocol/model/document.js'
import type { TextFormat } from './formats.js'
import { countValues } from './observe.js'
import type { ReadCollection } from './read-collections.js'
import { documentShape, type FieldShape, type ObjectShape, type Shape, type ShapeOptions } from './shapes.js'

/**
 * Requires the fields that every document has. Fields with mixed types or `null` accept any value. Keeps the
 * collection's existing rules, and their order.
 */
export function inferSchema(
  { schema, documents }: Pick<ReadCollection, 'schema' | 'documents'>,
  linkOf: ShapeOptions['linkOf'],
): Schema {
  const shape = documentShape(documents, {}, { linkOf })
  const fields = shape.kind === 'object' ? shape.fields.filter(({ name }) => !operatorNames.includes(name)) : []
  const rules = fields.map((field): [string, FieldRule] => [field.name, ruleForField(field)])
  return { ...schema, ...Object.fromEntries(rules), ...schema }
}

/** Returns how many of the documents have each field. */
export function countFields({ documents: { objects } }: Pick<ReadCollection, 'documents'>): Map<string, number> {
  return new Map([...(objects?.fields ?? [])].map(([name, seen]) => [name, countValues(seen)]))
}

function ruleForField({ shape, isOptional }: FieldShape): FieldRule {
  return { ...ruleFor(shape), ...(isOptional ? {} : { required: true }) }
}

/** Proposes the allowed values where there are few, and the format that all texts share. */
function ruleFor(shape: Shape): ValueRule {
  switch (shape.kind) {
    case 'text':
      return ruleForText(shape.format)
    case 'choices':
      return { type: 'string', enum: shape.values }
    case 'link':
      return { type: 'link', to: shape.collection }
    case 'number':
      return { type: shape.isInteger ? 'integer' : 'number' }
    case 'boolean':
      return { type: 'boolean' }
    case 'array':
      return ruleForArray(ruleFor(shape.items))
    case 'object':
      return ruleForObject(shape)
    case 'dictionary':
      return { type: 'object' }
    default:
      return { type: 'any' }
  }
}

function ruleForText(format: TextFormat | undefined): ValueRule {
  if (format === 'date' || format === 'date-time' || format === 'datetime') return { type: 'datetime' }
  if (format === 'email' || format === 'url') return { type: 'string', format }
  return { type: format === 'file' ? 'file' : 'string' }
}

function ruleForArray(items: ValueRule): ValueRule {
  if (items.type === 'link') return { ...items, many: true }
  return items.type === 'any' ? { type: 'array' } : { type: 'array', items }
}

function ruleForObject({ fields }: ObjectShape): ValueRule {
  if (fields.length === 0) return { type: 'object' }
  return { type: 'object', fields: Object.fromEntries(fields.map((field) => [field.name, ruleForField(field)])) }
}
