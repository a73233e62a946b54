/** Linked documents that `populate` put in the place of ids, read back into documents. */
import type { Document, Fields } from './model/document.js'
import { isObject, type Json, setOwn } from './model/json.js'
import type { Path } from './model/path.js'
import type { Dialect } from './wire/dialect.js'
import { documentReaders, isUserBody, readUserRecord } from './wire/readers.js'

/** What tells a linked record from an object of the document's own. */
const isRecord = {
  enveloped: (value) => isObject(value.data) && 'createdAt' in value,
  snake: (value) => isObject(value.data) && 'created_at' in value,
  flat: (value) => 'id' in value && 'createdAt' in value,
} as const satisfies { [Shape in Dialect['document']]: (value: Fields) => boolean }

/** Reads the links at these paths, in place; an id that led nowhere stays an id. */
export function readLinks(dialect: Dialect, data: Fields, paths: readonly Path[]): Fields {
  for (const [field, ...rest] of paths) {
    if (Object.hasOwn(data, field)) setOwn(data, field, readLink(dialect, data[field] as Json, rest))
  }
  return data
}

function readLink(dialect: Dialect, value: Json, rest: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => readLink(dialect, item, rest))
  if (!isObject(value)) return value
  const deeper: Path[] = isPath(rest) ? [rest] : []
  if (isUserBody(value)) {
    const user = readUserRecord(value)
    readLinks(dialect, user.data, deeper)
    return user as unknown as Json
  }
  if (!isRecord[dialect.document](value))
    return isDocument(value) ? deepen(dialect, value, deeper) : readLinks(dialect, value, deeper)
  const document = documentReaders[dialect.document](value)
  readLinks(dialect, document.data, deeper)
  return document as unknown as Json
}

/** A link that an earlier path has read already. */
function deepen(dialect: Dialect, document: Document, paths: readonly Path[]): Json {
  readLinks(dialect, document.data, paths)
  return document as unknown as Json
}

function isDocument(value: object): value is Document {
  return 'version' in value && 'collectionId' in value && 'data' in value
}

function isPath(segments: readonly string[]): segments is Path {
  return segments.length > 0
}
