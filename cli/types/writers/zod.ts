/** Writes types as zod 4 schemas, with the types inferred from them. */
import type { NamedType, NamedTypes } from '../named-types.js'
import type { Shape } from '../shapes.js'
import { header } from './header.js'
import { quote } from './typescript.js'

export function writeZod({ types, nameOf }: NamedTypes, clientPackage: string): string {
  const collections = types.flatMap(({ name, collection }) => (collection === undefined ? [] : [{ name, collection }]))
  // Declares parts before their users, because schemas are values.
  const declarations = [...types].reverse().map(declare)
  const imports = ['DateTime', 'FileUrl', 'Link'].filter((name) =>
    declarations.some((text) => text.includes(`z.custom<${name}`)),
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
    return `export const ${name} = ${define(shape)}\nexport type ${name} = z.infer<typeof ${name}>`
  }

  function define(shape: Shape): string {
    if (shape.kind !== 'object') return write(shape)
    if (shape.fields.length === 0) return anyObject
    const lines = shape.fields.map(
      (field) => `  ${key(field.name)}: ${write(field.shape)}${field.isOptional ? '.optional()' : ''},`,
    )
    return ['z.object({', ...lines, '})'].join('\n')
  }

  function write(shape: Shape): string {
    switch (shape.kind) {
      case 'text':
        return shape.format ? formats[shape.format] : 'z.string()'
      case 'link':
        return `z.custom<Link<${quote(shape.collection)}>>((value) => typeof value === 'string')`
      case 'choices':
        return `z.enum([${shape.values.map(quote).join(', ')}])`
      case 'number':
        return shape.isInteger ? 'z.int()' : 'z.number()'
      case 'array':
        return `z.array(${write(shape.items)})`
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
