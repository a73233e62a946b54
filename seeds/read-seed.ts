/** Reads a seed file: JSON or a module with collections, users and files, or documents of one collection. */
import { extname } from 'node:path'
import { isSeedContent, readContent, requireNoBareCollections, type SeedContent } from './content.js'
import { misused } from './failure.js'
import { readJsonFile } from './json-file.js'
import { type ModuleOptions, runSeedModule } from './run-module.js'

const moduleEndings = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'] as const

export function isModule(name: string): boolean {
  return moduleEndings.some((ending) => extname(name) === ending)
}

/** A whole seed, or documents of the collection that the file is named after. */
export type SeedFile = { readonly content: SeedContent } | { readonly text: string | undefined }

/** @throws {InputFailure} with the position of the error */
export async function readSeedFile(name: string, modules: ModuleOptions | undefined): Promise<SeedFile> {
  if (isModule(name)) {
    if (!modules) throw misused(`"${name}" is code and cannot be run here.`, 'Pass a .json, .ndjson or .csv file.')
    return { content: await runSeedModule(name, modules) }
  }
  if (extname(name) !== '.json') return { text: undefined }
  const { content, plainText, findLine } = await readJsonFile(name)
  const source = { name, locate: (path: readonly string[]) => `${name}:${findLine(path)}` }
  if (isSeedContent(content)) return { content: readContent(source, content) }
  requireNoBareCollections(source, content)
  return { text: plainText }
}
