/** Encodes bodies that contain files. Contract 3.4. */
import type { Fields } from '../protocol/model/document.js'
import { SvcError } from '../protocol/model/errors.js'
import type { JsonObject } from '../protocol/model/json.js'
import { encodeBody } from '../protocol/wire/sendable.js'
import type { RequestParts } from '../send.js'

/** Fields that hold texts, or arrays of them, also take files; what is then stored is their addresses. */
export type WithFiles<Data> = {
  readonly [Name in keyof Data]:
    | Data[Name]
    | (string extends Data[Name] ? Blob : never)
    | (string[] extends Data[Name] ? readonly Blob[] : never)
}

/**
 * Encodes fields as JSON, or as a form if some are files.
 *
 * @throws {SvcError} `VALIDATION_ERROR` for an array that mixes files and values, since some services keep only the files
 */
export function writeForm(fields: object, write: (plain: Fields) => JsonObject): Pick<RequestParts, 'body' | 'form'> {
  let plain = fields
  let form: FormData | undefined
  for (const [name, value] of Object.entries(fields ?? {})) {
    const values = [value].flat()
    const files = values.filter((item) => item instanceof Blob)
    if (!files[0]) continue
    if (files.length < values.length) {
      throw new SvcError('VALIDATION_ERROR', `"${name}" mixes files and values.`)
    }
    form ??= new FormData()
    for (const file of files) form.append(name, file)
    plain = { ...plain, [name]: undefined }
  }
  const body = write(plain as Fields)
  form?.append('data', encodeBody(body))
  return form ? { form } : { body }
}
