/** Turns collections into the text of a file of types. */
import { type FewValues, findFewValues } from './few-values.js'
import { findLinks, type ReadsLinks } from './links.js'
import { type CollectionShape, nameTypes } from './named-types.js'
import type { ReadCollection } from './read-collections.js'
import { documentShape, mayLack, type ShapeOptions } from './shapes.js'
import { writeJsonSchema } from './writers/json-schema.js'
import { writeTypeScript } from './writers/typescript.js'
import { writeZod } from './writers/zod.js'

const writers = { typescript: writeTypeScript, 'json-schema': writeJsonSchema, zod: writeZod } as const

export type TypesFormat = keyof typeof writers
export const typesFormats = Object.keys(writers) as TypesFormat[]

export interface TypesStyle {
  readonly format: TypesFormat
  /** The package from which the app imports the client. */
  readonly clientPackage: string
}

export interface DescribedTypes {
  readonly text: string
  /** The text without the few values of another type. */
  readonly textWithoutFew: string
  readonly few: readonly FewValues[]
  /** Data that permissions hid, by type name. */
  readonly withheld: readonly { readonly typeName: string; readonly words: string }[]
}

/** The result is deterministic: the same collections and documents produce the same text. */
export async function describeTypes(
  client: ReadsLinks,
  collections: readonly ReadCollection[],
  { format, clientPackage }: TypesStyle,
): Promise<DescribedTypes> {
  const linkOf = await findLinks(client, collections)
  const named = nameTypes(collectionShapes(collections, { linkOf }))
  const withoutFew = nameTypes(collectionShapes(collections, { linkOf, leavesOutFew: true }))
  const typeNames = new Map(named.types.map(({ collection, name }) => [collection, name]))
  return {
    text: writers[format](named, clientPackage),
    textWithoutFew: writers[format](withoutFew, clientPackage),
    few: collections.flatMap(({ name, documents }) => findFewValues(documents, name, linkOf)),
    withheld: collections.flatMap(({ name, withheld: words }) => {
      const typeName = typeNames.get(name)
      return words === undefined || typeName === undefined ? [] : [{ typeName, words }]
    }),
  }
}

function collectionShapes(collections: readonly ReadCollection[], options: ShapeOptions): CollectionShape[] {
  const shapes = collections.map(({ name, schema, hidden, documents }) => ({
    collection: name,
    documents: hidden.reduce((shape, path) => mayLack(shape, path), documentShape(documents, schema, options)),
  }))
  return shapes.sort((one, other) => (one.collection < other.collection ? -1 : 1))
}
