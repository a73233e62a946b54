/** Encodes data that may contain populated records. */
import { LinkedRecord, type PopulatedFields, type PopulatedValue } from '../../model/document.js'
import { JsonText, Later, type Writable, type WritableObject } from '../../model/json.js'

export type EncodeLink = (link: LinkedRecord) => Writable

export function encodeData(data: JsonText | PopulatedFields, encodeLink: EncodeLink): JsonText | WritableObject {
  return data instanceof JsonText ? data : encodePopulatedFields(data, encodeLink)
}

export function encodePopulatedFields(fields: PopulatedFields, encodeLink: EncodeLink): WritableObject {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, encodeValue(value, encodeLink)]))
}

function encodeValue(value: PopulatedValue, encodeLink: EncodeLink): Writable {
  if (value instanceof JsonText) return value
  if (value instanceof LinkedRecord) return new Later(() => encodeLink(value))
  if (Array.isArray(value)) return value.map((item: PopulatedValue) => encodeValue(item, encodeLink))
  if (typeof value === 'object' && value !== null) return encodePopulatedFields(value as PopulatedFields, encodeLink)
  return value
}
