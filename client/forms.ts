/** Bodies with files in them. Contract 3.4. */
import type { Fields } from './model/document.js'
import type { JsonObject } from './model/json.js'

/** Fields that hold texts, or arrays of them, also take files; what is then stored is their addresses. */
export type WithFiles<Data> = {
  readonly [Name in keyof Data]:
    | Data[Name]
    | (string extends Data[Name] ? Blob : never)
    | (string[] extends Data[Name] ? readonly Blob[] : never)
}

/** A body as JSON, or as a form if some of its fields are files. */
export function writeForm(fields: object, write: (plain: Fields) => JsonObject): JsonObject | FormData {
  const files = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((file) => (file instanceof Blob ? [[name, file] as const] : [])),
  )
  if (files.length === 0) return write(fields as Fields)
  const named = new Set(files.map(([name]) => name))
  const plain = Object.entries(fields).filter(([name]) => !named.has(name))
  const form = new FormData()
  form.append('data', JSON.stringify(write(Object.fromEntries(plain))))
  for (const [name, file] of files) form.append(name, file)
  return form
}
