/** Data whose links may have been replaced by the records they lead to. */
import { Linked, type PopulatedFields, type PopulatedValue } from '../../model/document.js'
import { JsonText, Later, type Writable, type WritableObject } from '../../model/json.js'

type WriteLink = (link: Linked) => Writable

export function writeData(data: JsonText | PopulatedFields, writeLink: WriteLink): Writable {
  return data instanceof JsonText ? data : writePopulatedFields(data, writeLink)
}

export function writePopulatedFields(fields: PopulatedFields, writeLink: WriteLink): WritableObject {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, writeValue(value, writeLink)]))
}

function writeValue(value: PopulatedValue, writeLink: WriteLink): Writable {
  if (value instanceof JsonText) return value
  if (value instanceof Linked) return new Later(() => writeLink(value))
  if (Array.isArray(value)) return value.map((item: PopulatedValue) => writeValue(item, writeLink))
  if (typeof value === 'object' && value !== null) return writePopulatedFields(value as PopulatedFields, writeLink)
  return value
}
