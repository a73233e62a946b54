/** Reads `-F cover=@a.png`, which stores files in the fields of a document. */
import * as Flags from '@oclif/core/flags'
import { misuse } from '../base/failure.js'
import { openLocalFile } from './local-files.js'

export const attachFlag = Flags.string({
  char: 'F',
  multiple: true,
  multipleNonGreedy: true,
  description: 'file to store in a field (repeat the flag to store an array)',
  helpValue: 'field=@file',
})

/** Opens the files, by field. */
export async function readAttached(words: readonly string[] = []): Promise<Record<string, File | File[]>> {
  const fields = new Map<string, File[]>()
  for (const word of words) {
    const [, field = '', place = ''] = /^([^=]+)=@(.+)$/s.exec(word) ?? []
    if (field === '') throw misuse(`Not a valid field with a file: "${word}".`, 'Use -F cover=@picture.png')
    fields.set(field, [...(fields.get(field) ?? []), await openLocalFile(place)])
  }
  const values = [...fields].map(([field, files]) => [field, files.length > 1 ? files : files[0]] as const)
  return Object.fromEntries(values.flatMap(([field, value]) => (value ? [[field, value]] : [])))
}
