/** Documents of two services that are to be the same: ids that one has in the place of the other's, and what tells them apart. */
import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../../client/protocol/model/json.js'
import type { Path } from '../../client/protocol/model/path.js'
import { mapTexts } from '../../seeds/map-texts.js'
import { withoutFields } from './redaction.js'

export type Ids = ReadonlyMap<string, string>

/** The document with other ids: a text that is one, and nothing else, refers to a document. */
export function withIds(data: JsonObject, ids: Ids): JsonObject {
  return mapTexts(data, (text) => ids.get(text) ?? text)
}

/** Which of these ids its texts are. */
export function idsIn(data: JsonObject, ids: { has(id: string): boolean }): readonly string[] {
  const found: string[] = []
  mapTexts(data, (text) => {
    if (ids.has(text)) found.push(text)
    return text
  })
  return found
}

/** The same for two documents that have the same fields, apart from those that are redacted. */
export function hashOf(data: JsonObject, redacted: readonly Path[]): string {
  return createHash('sha256')
    .update(canonicalJson(withoutFields(data, redacted)))
    .digest('base64url')
    .slice(0, 27)
}
