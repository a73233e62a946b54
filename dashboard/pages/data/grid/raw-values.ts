/** Documents of a list without what `populate` inserted: links are ids again, as they are stored. */
import type { Fields, Json } from '../../../../client/index.js'
import { setOwn } from '../../../../client/protocol/model/json.js'
import { linkedIn } from '../../../parts/columns.js'

export function toRaw(value: Json): Json {
  if (Array.isArray(value)) return value.map(toRaw)
  return linkedIn(value)?.id ?? value
}

export function toRawFields(data: Fields): Fields {
  const raw: Fields = {}
  for (const [name, value] of Object.entries(data)) setOwn(raw, name, toRaw(value))
  return raw
}
