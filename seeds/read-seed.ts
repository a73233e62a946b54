/** A seed from its file: JSON with collections, users and files, or the documents of one collection. */
import { extname } from 'node:path'
import { isSeedContent, readContent, type SeedContent } from './content.js'
import { readJsonFile } from './json-file.js'

/** What a file holds: a whole seed, or documents of the collection that it is named after. */
export type SeedFile = { readonly content: SeedContent } | { readonly text: string | undefined }

/** @throws {InputFailure} with the place of what is wrong in it */
export async function readSeedFile(name: string): Promise<SeedFile> {
  if (extname(name) !== '.json') return { text: undefined }
  const { content, plainText, lineOf } = await readJsonFile(name)
  if (!isSeedContent(content)) return { text: plainText }
  return { content: readContent({ name, placeOf: (path) => `${name}:${lineOf(path)}` }, content) }
}
