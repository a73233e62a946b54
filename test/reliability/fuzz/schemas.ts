/** Values that fit a JSON schema, as far as the description uses it. */
import fc from 'fast-check'
import type { Json } from '../../../client/protocol/model/json.js'

export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly Json[]
  readonly const?: Json
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
}

/** Texts with a meaning here. */
const texts = fc.constantFrom(
  ...[
    '@document',
    '@user',
    '@file',
    '@email',
    '@collection',
    '@project',
    'posts',
    'title',
    '5',
    'true',
    'Correct4Horse',
  ],
  ...['2026-01-02T03:04:05.678Z', 'http://localhost:3000/', 'ada@example.com', '123456', 'web'],
)

export function fitting(schema: Schema, depth = 0): fc.Arbitrary<Json> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map((one) => fitting(one, depth)))
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map((one) => fitting(one, depth))).map((all) => Object.assign({}, ...all))
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (type === 'object' || schema.properties) return object(schema, depth)
  if (type === 'array') return fc.array(fitting(schema.items ?? {}, depth + 1), { maxLength: 3 })
  if (type === 'string') return texts
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'integer')
    return fc.integer({ min: Math.max(schema.minimum ?? 0, -1e6), max: Math.min(schema.maximum ?? 50, 1e6) })
  if (type === 'number') return fc.double({ min: 0, max: 100, noNaN: true })
  return fc.oneof(texts, fc.integer({ min: 0, max: 9 }), fc.boolean(), fc.constant(null))
}

function object({ properties = {}, required = [], additionalProperties }: Schema, depth: number): fc.Arbitrary<Json> {
  const parts = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, fitting(one, depth + 1)]))
  const named = fc.record(parts, { requiredKeys: required.filter((name) => name in parts) }) as fc.Arbitrary<object>
  if (additionalProperties === false || depth > 3) return named as fc.Arbitrary<Json>
  const more = typeof additionalProperties === 'object' ? additionalProperties : {}
  const name = fc.constantFrom('n', 'title', 'tags', '@document', 'link')
  return fc
    .tuple(named, fc.dictionary(name, fitting(more, depth + 1), { maxKeys: 3, noNullPrototype: true }))
    .map(([one, other]) => ({ ...other, ...one })) as fc.Arbitrary<Json>
}
