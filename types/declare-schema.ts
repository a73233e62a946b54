/** Declares the types that follow from a schema alone, before any document is read. */
import type { Collection } from '../client/protocol/model/collection.js'
import { parsePath } from '../client/protocol/model/path.js'
import { nameTypes } from './named-types.js'
import { nothingObserved } from './observe.js'
import { documentShape, mayLack } from './shapes.js'
import { declareTypes } from './writers/typescript.js'

/** Returns the declarations for the documents of one collection, as `svc types generate` writes them. */
export function declareSchema({ name, schema, permissions }: Pick<Collection, 'name' | 'schema' | 'permissions'>) {
  const shape = documentShape(nothingObserved(), schema, { linkOf: () => undefined })
  const hidden = Object.keys(permissions?.hidden ?? {}).map(parsePath)
  const documents = hidden.reduce((whole, path) => mayLack(whole, path), shape)
  return declareTypes(nameTypes([{ collection: name, documents }])).join('\n\n')
}
