/** From collections that were read to the text of a file of types. */
import type { Client } from '../../client/index.js'
import { findLinks } from './links.js'
import { type CollectionShape, nameTypes } from './named-types.js'
import type { ReadCollection } from './read-collections.js'
import { documentShape, mayLack } from './shapes.js'
import { writeJsonSchema } from './writers/json-schema.js'
import { writeTypeScript } from './writers/typescript.js'
import { writeZod } from './writers/zod.js'

const writers = { typescript: writeTypeScript, 'json-schema': writeJsonSchema, zod: writeZod } as const

export type TypesFormat = keyof typeof writers
export const typesFormats = Object.keys(writers) as TypesFormat[]

/** Documents of a collection that are read unless all are wanted: half of them the oldest, half the newest. */
export const sampleSize = 2_000

export interface TypesStyle {
  readonly format: TypesFormat
  /** The package that the app imports the client from. */
  readonly clientPackage: string
}

/** The same collections and documents give the same text. */
export async function typesText(
  client: Pick<Client, 'collection'>,
  collections: readonly ReadCollection[],
  { format, clientPackage }: TypesStyle,
): Promise<string> {
  return writers[format](nameTypes(await collectionShapes(client, collections)), clientPackage)
}

/** What the documents of each collection are, by name. */
async function collectionShapes(
  client: Pick<Client, 'collection'>,
  collections: readonly ReadCollection[],
): Promise<CollectionShape[]> {
  const linkOf = await findLinks(client, collections)
  const shapes = collections.map(({ name, schema, hidden, documents }) => ({
    collection: name,
    documents: hidden.reduce((shape, path) => mayLack(shape, path), documentShape(documents, schema, linkOf)),
  }))
  return shapes.sort((one, other) => (one.collection < other.collection ? -1 : 1))
}
