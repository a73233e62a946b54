/** Decodes populated records into documents and users. */
import type { Document, Fields } from '../protocol/model/document.js'
import { isObject, type Json, type JsonObject } from '../protocol/model/json.js'
import type { Path } from '../protocol/model/path.js'
import type { AppUser } from '../protocol/model/user.js'
import { decodeDocument, isRecord } from '../protocol/wire/document/decode.js'
import { decodeUser, isUserBody } from '../protocol/wire/records/decode.js'
import type { Spoken } from '../protocol/wire/spoken.js'
/** Decodes the links at these paths in place. Ids without a record stay ids. */
export function readLinks(dialect: Spoken, data: Fields, paths: readonly Path[]): void {
  for (const field of new Set(paths.map(([first]) => first))) {
    const deeper = paths.flatMap(([first, ...rest]) =>
      first === field && rest[0] ? [rest as [string, ...string[]]] : [],
    )
    if (Object.hasOwn(data, field)) data[field] = readLink(dialect, data[field] as Json, deeper)
  }
}

function readLink(dialect: Spoken, value: Json, deeper: readonly Path[]): Json {
  if (Array.isArray(value)) return value.map((item) => readLink(dialect, item, deeper))
  if (!isObject(value)) return value
  const record = decodeRecordIn(dialect, value)
  readLinks(dialect, record?.data ?? value, deeper)
  return (record as Json | undefined) ?? value
}

/** Returns undefined for plain objects, which belong to the document itself. */
function decodeRecordIn(dialect: Spoken, value: JsonObject): Document | AppUser | undefined {
  if (isUserBody(value)) return decodeUser(value)
  return isRecord[dialect.document](value) ? decodeDocument(value, dialect) : undefined
}
