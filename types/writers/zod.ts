/** Writes types as zod 4 schemas, with the types inferred from them. */
import type { ValueRule } from '../../client/protocol/model/collection.js'
import { isObject, type Json } from '../../client/protocol/model/json.js'
import type { NamedType, NamedTypes } from '../named-types.js'
import type { FieldShape, Scalar, Shape } from '../shapes.js'
import { header } from './header.js'
import { formatDefaults, quote, writeLiteral } from './typescript.js'

export function writeZod({ types, nameOf }: NamedTypes, clientPackage: string): string {
  const collections = types.flatMap(({ name, collection }) => (collection === undefined ? [] : [{ name, collection }]))
  // Declares parts before their users, because schemas are values.
  const declarations = [...types].reverse().map(declare)
  const imports = ['DateTime', 'Defaults', 'FileUrl', 'Link'].filter((name) =>
    declarations.some((text) => text.includes(`z.custom<${name}`) || text.includes(`& ${name}<`)),
  )
  return [
    ...header.map((line) => `// ${line}`),
    '/* eslint-disable */',
    ...(imports.length === 0 ? [] : [`import type { ${imports.join(', ')} } from '${clientPackage}'`]),
    "import { z } from 'zod'",
    '',
    ...declarations.flatMap((text) => [text, '']),
    '/** The schema of each collection. */',
    ...block('export const schemas = {', collections, ({ collection, name }) => `${key(collection)}: ${name},`),
    '',
    '/** The document type of each collection, for `createClient<Schema>()`. */',
    ...block('export type Schema = {', collections, ({ collection, name }) => `${typeKey(collection)}: ${name}`),
    '',
  ].join('\n')

  function declare({ name, shape }: NamedType): string {
    const type = [`z.infer<typeof ${name}>`, ...(shape.kind === 'object' ? formatDefaults(shape) : [])].join(' & ')
    return `export const ${name} = ${define(shape)}\nexport type ${name} = ${type}`
  }

  function define(shape: Shape): string {
    if (shape.kind !== 'object') return write(shape)
    if (shape.fields.length === 0) return anyObject
    const lines = shape.fields.map((field) => `  ${key(field.name)}: ${writeField(field)},`)
    return ['z.object({', ...lines, '})'].join('\n')
  }

  function writeField(field: FieldShape): string {
    const { shape, isOptional, description } = field
    return [
      write(shape),
      ...(isOptional ? ['.optional()'] : []),
      // Not for a hidden field, because parsing would invent its value.
      ...(field.default === undefined || isOptional ? [] : [`.default(${writeJson(field.default)})`]),
      ...(description === undefined ? [] : [`.describe(${quote(description)})`]),
    ].join('')
  }

  function write(shape: Shape): string {
    switch (shape.kind) {
      case 'text':
        return `${shape.format ? formats[shape.format] : 'z.string()'}${limits(shape)}`
      case 'link':
        return `z.custom<Link<${quote(shape.collection)}>>((value) => typeof value === 'string')`
      case 'choices':
        return writeChoices(shape.values)
      case 'number':
        return `${shape.isInteger ? 'z.int()' : 'z.number()'}${limits({ minLength: shape.min, maxLength: shape.max })}`
      case 'array':
        return `z.array(${write(shape.items)})${limits(shape)}`
      case 'dictionary':
        return `z.record(z.string(), ${write(shape.values)})`
      case 'object':
        return nameOf(shape) === '' ? anyObject : nameOf(shape)
      case 'union':
        return writeUnion(shape.of)
      default:
        return `z.${shape.kind}()`
    }
  }

  function writeUnion(shapes: readonly Shape[]): string {
    const some = shapes.filter(({ kind }) => kind !== 'null')
    const [only] = some
    if (some.length < shapes.length && some.length === 1 && only) return `${write(only)}.nullable()`
    return `z.union([${shapes.map(write).join(', ')}])`
  }
}

function writeJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`
  if (!isObject(value)) return writeLiteral(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${key(name)}: ${writeJson(one)}`)
    .join(', ')}}`
}

function writeChoices(values: readonly Scalar[]): string {
  if (values.every((value) => typeof value === 'string')) return `z.enum([${values.map(quote).join(', ')}])`
  return `z.literal([${values.map(writeLiteral).join(', ')}])`
}

/** Bounds a number, the length of a text or an array, and the text itself. */
function limits({ minLength, maxLength, pattern }: Pick<ValueRule, 'minLength' | 'maxLength' | 'pattern'>): string {
  return [
    ...(minLength === undefined ? [] : [`.min(${minLength})`]),
    ...(maxLength === undefined ? [] : [`.max(${maxLength})`]),
    ...(pattern === undefined ? [] : [`.regex(new RegExp(${quote(`^(?:${pattern})$`)}, 'u'))`]),
  ].join('')
}

const anyObject = 'z.record(z.string(), z.json())'

const formats = {
  id: 'z.guid()',
  date: 'z.iso.date()',
  'date-time': 'z.iso.datetime({ offset: true }).pipe(z.custom<DateTime>())',
  datetime: 'z.string().pipe(z.custom<DateTime>())',
  file: 'z.url().pipe(z.custom<FileUrl>())',
  url: 'z.url()',
  email: 'z.email()',
} as const

function block<Item>(head: string, items: readonly Item[], line: (item: Item) => string): string[] {
  return [head, ...items.map((item) => `  ${line(item)}`), '}']
}

/** Brackets `__proto__`, because a plain `__proto__` key sets the prototype. */
function key(name: string): string {
  return name === '__proto__' ? `['__proto__']` : typeKey(name)
}

function typeKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}
