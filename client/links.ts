/** Linked records that `populate` put in the place of ids, read back into documents and users. */
import type { Document, Fields } from './model/document.js'
import { isObject, type Json, type JsonObject } from './model/json.js'
import type { Path } from './model/path.js'
import type { AppUser } from './model/user.js'
import type { Dialect } from './wire/dialect.js'
import { isUserBody, readDocument, readUser } from './wire/readers.js'

/** What tells a linked record from an object of the document's own. */
const isRecord = {
  enveloped: (value) => isObject(value.data) && 'createdAt' in value,
  snake: (value) => isObject(value.data) && 'created_at' in value,
  flat: (value) => 'id' in value && 'createdAt' in value,
} as const satisfies { [Shape in Dialect['document']]: (value: Fields) => boolean }

/** Reads the links at these paths, in place; an id that led nowhere stays an id. */
export function readLinks(dialect: Dialect, data: Fields, paths: readonly Path[]): void {
  for (const field of new Set(paths.map(([first]) => first))) {
    const deeper = paths.flatMap(([first, ...rest]) => (first === field && rest[0] ? [rest as unknown as Path] : []))
    if (Object.hasOwn(data, field)) data[field] = readLink(dialect, data[field] as Json, deeper)
  }
}

function readLink(dialect: Dialect, value: Json, deeper: readonly Path[]): Json {
  if (Array.isArray(value)) return value.map((item) => readLink(dialect, item, deeper))
  if (!isObject(value)) return value
  const record = recordOf(dialect, value)
  readLinks(dialect, record?.data ?? value, deeper)
  return (record as Json | undefined) ?? value
}

/** Nothing for an object of the document's own. */
function recordOf(dialect: Dialect, value: JsonObject): Document | AppUser | undefined {
  if (isUserBody(value)) return readUser(value)
  return isRecord[dialect.document](value) ? readDocument(value, dialect) : undefined
}
