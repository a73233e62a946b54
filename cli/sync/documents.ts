/** Translates ids between two services, and hashes documents to compare them. */
import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../../client/protocol/model/json.js'
import type { Path } from '../../client/protocol/model/path.js'
import { mapTexts } from '../../seeds/map-texts.js'
import { withoutFields } from './redaction.js'

export type Ids = ReadonlyMap<string, string>

/** Replaces ids. A string that equals an id is a link; a string that contains one is not. */
export function withIds(data: JsonObject, ids: Ids): JsonObject {
  return mapTexts(data, (text) => ids.get(text) ?? text)
}

/** Finds the links to these ids. */
export function idsIn(data: JsonObject, ids: { has(id: string): boolean }): readonly string[] {
  const found: string[] = []
  mapTexts(data, (text) => {
    if (ids.has(text)) found.push(text)
    return text
  })
  return found
}

/** Hashes a document without its redacted fields. */
export function hashOf(data: JsonObject, redacted: readonly Path[]): string {
  return createHash('sha256')
    .update(canonicalJson(withoutFields(data, redacted)))
    .digest('base64url')
    .slice(0, 27)
}
