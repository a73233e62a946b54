/** Writes types as TypeScript for `createClient<Schema>()`. */
import type { ValueRule } from '../../client/protocol/model/collection.js'
import { counted } from '../../client/protocol/model/figures.js'
import type { TextFormat } from '../formats.js'
import type { NamedType, NamedTypes } from '../named-types.js'
import type { FieldShape, ObjectShape, Scalar, Shape } from '../shapes.js'
import { header } from './header.js'

export function writeTypeScript(named: NamedTypes, clientPackage: string): string {
  const collections = named.types.flatMap(({ name, collection }) =>
    collection === undefined ? [] : [{ name, collection }],
  )
  const declarations = declareTypes(named)
  const imports = ['DateTime', 'Defaults', 'Fields', 'FileUrl', 'Link'].filter((name) =>
    declarations.some((text) => mentions(text, name)),
  )
  return [
    ...header.map((line) => `// ${line}`),
    '/* eslint-disable */',
    ...(imports.length === 0 ? [] : [`import type { ${imports.join(', ')} } from '${clientPackage}'`]),
    '',
    '/** The document type of each collection, for `createClient<Schema>()`. */',
    ...formatInterface(
      'Schema',
      collections.map(({ collection, name }) => `${key(collection)}: ${name}`),
    ),
    ...declarations.flatMap((text) => ['', text]),
    '',
  ].join('\n')
}

/** Declares each type, without the imports and the `Schema` of a file. */
export function declareTypes({ types, nameOf }: NamedTypes): string[] {
  return types.map(declare)

  function declare({ name, shape, collection }: NamedType): string {
    const comment =
      collection === undefined ? [] : [`/** A document of the collection ${inComment(quote(collection))}. */`]
    const isOpen = shape.kind === 'object' && shape.fields.length === 0
    if (isOpen) return [...comment, `export type ${name} = Fields`].join('\n')
    if (shape.kind !== 'object') return [...comment, `export type ${name} = ${write(shape)}`].join('\n')
    const head = [name, ...formatDefaults(shape)].join(' extends ')
    return [...comment, ...formatInterface(head, shape.fields.flatMap(fieldLines))].join('\n')
  }

  function fieldLines({ name, shape, isOptional, description }: FieldShape): string[] {
    const limits = describeShape(shape)
    const said = description === undefined ? limits : [sentence(inComment(oneLine(description)), limits), ...limits]
    return [
      ...(said.length === 0 ? [] : [`/** ${said.join(' ')} */`]),
      `${key(name)}${isOptional ? '?' : ''}: ${write(shape)}`,
    ]
  }

  function write(shape: Shape): string {
    switch (shape.kind) {
      case 'text':
        return (shape.format && typeNames[shape.format]) ?? 'string'
      case 'link':
        return `Link<${quote(shape.collection)}>`
      case 'choices':
        return shape.values.map(writeLiteral).join(' | ')
      case 'array':
        return formatArray(write(shape.items))
      case 'dictionary':
        return `Record<string, ${write(shape.values)}>`
      case 'object':
        return shape.fields.length === 0 ? 'Record<string, unknown>' : nameOf(shape)
      case 'union':
        return shape.of.map(write).join(' | ')
      default:
        return shape.kind
    }
  }
}

/** Names the fields that new documents may leave out. Empty if there are none. */
export function formatDefaults({ fields }: ObjectShape): string[] {
  const names = fields.flatMap((field) => (field.default === undefined ? [] : [quote(field.name)]))
  return names.length === 0 ? [] : [`Defaults<${names.join(' | ')}>`]
}

function formatInterface(name: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [`export interface ${name} {}`]
  return [`export interface ${name} {`, ...lines.map((line) => `  ${line}`), '}']
}

function formatArray(items: string): string {
  return items.includes(' | ') ? `(${items})[]` : `${items}[]`
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`(: | = |<|, |\\(|\\| |extends )${name}\\b`, 'm').test(text)
}

const typeNames: { readonly [Format in TextFormat]?: string } = {
  'date-time': 'DateTime',
  datetime: 'DateTime',
  file: 'FileUrl',
}

const words = {
  id: 'An id.',
  date: 'A day: `YYYY-MM-DD`.',
  'date-time': 'A point in time, as ISO 8601.',
  datetime: 'A day or a point in time, as ISO 8601.',
  file: 'The URL of a stored file.',
  url: 'A URL.',
  email: 'An email address.',
} as const

/** Describes what the type alone does not show. */
function describeShape(shape: Shape): string[] {
  if (shape.kind === 'text') return [...(shape.format ? [words[shape.format]] : []), ...describeLimits(shape)]
  if (shape.kind === 'number') return [...(shape.isInteger ? ['An integer.'] : []), ...describeLimits(shape)]
  if (shape.kind === 'array') return [...describeShape(shape.items), ...describeLimits(shape, 'item')]
  if (shape.kind !== 'union') return []
  const [only, ...others] = shape.of.filter(({ kind }) => kind !== 'null')
  return only && others.length === 0 ? describeShape(only) : []
}

/** Describes the bounds of a value. */
function describeLimits(
  limits: Pick<ValueRule, 'min' | 'max' | 'minLength' | 'maxLength' | 'pattern'>,
  unit = 'character',
) {
  const { min, max, minLength, maxLength, pattern } = limits
  return [
    ...(min === undefined ? [] : [`At least ${min}.`]),
    ...(max === undefined ? [] : [`At most ${max}.`]),
    ...(minLength === undefined ? [] : [`At least ${counted(minLength, unit)}.`]),
    ...(maxLength === undefined ? [] : [`At most ${counted(maxLength, unit)}.`]),
    ...(pattern === undefined ? [] : [inComment(oneLine(`Matches ${pattern}.`))]),
  ]
}

/** Ends a text with a full stop if others follow it. */
function sentence(text: string, others: readonly string[]): string {
  return others.length === 0 || /[.!?…]$/.test(text) ? text : `${text}.`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

export function writeLiteral(value: Scalar): string {
  return typeof value === 'string' ? quote(value) : String(value)
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

/** Quotes a text as a TypeScript literal. Escapes line breaks and direction marks. */
export function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner.replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202f\u2066-\u2069\ufeff]/g, escaped)}'`
}

/** Breaks up an end of comment, because the name may come from any service. */
function inComment(text: string): string {
  return text.replaceAll('*/', '* /')
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
