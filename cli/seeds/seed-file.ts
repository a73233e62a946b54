/** One file that holds collections, their schemas, and documents with references between them. */
import { readFileSync } from 'node:fs'
import type { Schema } from '../../client/protocol/model/collection.js'
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { CliFailure, exits } from '../base/failure.js'
import { lineOfMistake } from './json-mistake.js'
import { lineOf } from './json-place.js'

/** A document of a seed file, by the name that references call it: `ada`, or its number. */
export interface SeedDocument {
  readonly name: string
  readonly line: number
  readonly fields: JsonObject
}

export interface SeedCollection {
  readonly name: string
  readonly schema: Schema | undefined
  /** The field by which `--upsert` knows a document. */
  readonly key: string | undefined
  readonly documents: readonly SeedDocument[]
}

/** Whether a file is of this kind: an object with `collections`. */
export function isSeedFile(content: Json): content is { collections: JsonObject } {
  return isObject(content) && isObject(content.collections)
}

/** @throws {CliFailure} with file and line, if it is not JSON. */
export function readJsonFile(file: string): { text: string; content: Json } {
  const text = readFileSync(file, 'utf8')
  try {
    return { text, content: JSON.parse(text) }
  } catch (cause) {
    throw badSeed(file, lineOfMistake(text), 'is not JSON', cause)
  }
}

/** @throws {CliFailure} with file and line, where it is not as a seed file must be. */
export function readSeedFile(file: string, text: string, content: { collections: JsonObject }): SeedCollection[] {
  const { collections, $schema: _, ...others } = content as { collections: JsonObject; $schema?: Json }
  const [other] = Object.keys(others)
  if (other !== undefined) {
    const what = `"${other}" is not part of a seed file; its collections stand under "collections"`
    throw badSeed(file, lineOf(text, [other]), what)
  }
  return Object.entries(collections).map(([name, collection]) => {
    const place = ['collections', name]
    if (!isObject(collection)) throw badSeed(file, lineOf(text, place), `"${name}" is not an object`)
    const { schema, key, documents = [], ...others } = collection
    const [other] = Object.keys(others)
    if (other !== undefined) {
      const what = `"${other}" of "${name}" is none of schema, key and documents`
      throw badSeed(file, lineOf(text, [...place, other]), what)
    }
    if (typeof documents !== 'object' || documents === null) {
      throw badSeed(
        file,
        lineOf(text, [...place, 'documents']),
        `"documents" of "${name}" is neither an array nor an object`,
      )
    }
    return {
      name,
      // The service checks it: it knows what a schema may say.
      schema: schema as unknown as Schema | undefined,
      key: typeof key === 'string' ? key : undefined,
      documents: Object.entries(documents).map(([title, fields]) => {
        const line = lineOf(text, [...place, 'documents', title])
        if (!isObject(fields)) throw badSeed(file, line, `"${name}.${title}" is not an object`)
        return { name: title, line, fields }
      }),
    }
  })
}

export function badSeed(file: string, line: number, what: string, cause?: unknown): CliFailure {
  return new CliFailure('BAD_SEED', exits.invalid, `${file}:${line}: ${what}.`, undefined, { cause })
}
