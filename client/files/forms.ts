/** Encodes bodies that contain files. Contract 3.4. */
import type { Fields } from '../protocol/model/document.js'
import { SvcError } from '../protocol/model/errors.js'
import type { JsonObject } from '../protocol/model/json.js'
import { encodeBody } from '../protocol/wire/sendable.js'
import type { RequestParts } from '../send.js'
import type { Holds, WithDates } from '../types.js'

/** Data as writes of one document accept it. A {@link FileUrl} may be a file, and an array of them may be files. */
export type WithFiles<Data> = string extends keyof Data
  ? { readonly [Name in keyof Data]: Data[Name] | Date | Blob | readonly Blob[] }
  : { readonly [Name in keyof Data]: Data[Name] | WithDates<Data[Name]> | FilesFor<Data[Name]> }

type FilesFor<Value> = Value extends readonly (infer Item)[]
  ? readonly FilesFor<Item>[]
  : Holds<Value, 'file'> extends true
    ? Blob
    : never

/**
 * Encodes fields as JSON, or as a form if some are files.
 *
 * @throws {SvcError} `VALIDATION_ERROR` for an array that mixes files and values, since some services keep only the files
 */
export function writeForm(
  fields: object,
  write: (plain: Fields, isForm: boolean) => JsonObject,
): Pick<RequestParts, 'body' | 'form'> {
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
  const body = write(plain as Fields, form !== undefined)
  form?.append('data', encodeBody(body))
  return form ? { form } : { body }
}
