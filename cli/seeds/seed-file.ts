/** One file that holds collections, their schemas, and documents with references between them. */
import { readFileSync } from 'node:fs'
import type { ParseError } from 'jsonc-parser'
import type { Schema } from '../../client/protocol/model/collection.js'
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { CliFailure, exits } from '../base/failure.js'

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

/** JSON with comments, and where in it things stand. */
export interface JsonFile {
  readonly name: string
  readonly content: Json
  /** The same as plain JSON, line by line; undefined where it is that already. */
  readonly plainText: string | undefined
  /** The line on which the value at a path begins; of the last that is there, if the path leads nowhere. */
  lineOf(path: readonly string[]): number
}

/** @throws {CliFailure} with file and line, if it is not JSON. */
export async function readJsonFile(name: string): Promise<JsonFile> {
  // Loaded by few commands, and in CommonJS: its names are those of its default.
  const { default: jsonc } = await import('jsonc-parser')
  const text = readFileSync(name, 'utf8')
  const errors: ParseError[] = []
  const root = treeOf(name, () => jsonc.parseTree(text, errors))
  const [error] = errors
  if (!root || error) {
    const why = error ? ` (${wordsOf(jsonc.printParseErrorCode(error.error))})` : ''
    throw badSeed(name, lineAt(text, error?.offset ?? text.length), `is not JSON${why}`)
  }
  const plainText = jsonc.stripComments(text, ' ')
  return {
    name,
    content: jsonc.getNodeValue(root),
    plainText: plainText === text ? undefined : plainText,
    lineOf(path) {
      let node = root
      for (const segment of path) {
        const step = node.type === 'array' ? Number(segment) : segment
        const next = jsonc.findNodeAtLocation(node, [step])
        if (!next) break
        node = next
      }
      return lineAt(text, node.offset)
    },
  }
}

/** The parser follows the nesting on the stack, which deeper nesting than the service takes can exhaust. */
function treeOf<Tree>(file: string, parse: () => Tree): Tree {
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) throw badSeed(file, 1, 'is nested too deeply', error)
    throw error
  }
}

/** "ValueExpected" as "value expected". */
function wordsOf(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

/** @throws {CliFailure} with file and line, where it is not as a seed file must be. */
export function readSeedFile({ name: file, lineOf }: JsonFile, content: { collections: JsonObject }): SeedCollection[] {
  const { collections, $schema: _, ...others } = content as { collections: JsonObject; $schema?: Json }
  const [other] = Object.keys(others)
  if (other !== undefined) {
    const what = `"${other}" is not part of a seed file; its collections stand under "collections"`
    throw badSeed(file, lineOf([other]), what)
  }
  return Object.entries(collections).map(([name, collection]) => {
    const place = ['collections', name]
    if (!isObject(collection)) throw badSeed(file, lineOf(place), `"${name}" is not an object`)
    const { schema, key, documents = [], ...others } = collection
    const [other] = Object.keys(others)
    if (other !== undefined) {
      const what = `"${other}" of "${name}" is none of schema, key and documents`
      throw badSeed(file, lineOf([...place, other]), what)
    }
    if (typeof documents !== 'object' || documents === null) {
      const what = `"documents" of "${name}" is neither an array nor an object`
      throw badSeed(file, lineOf([...place, 'documents']), what)
    }
    return {
      name,
      // The service checks it: it knows what a schema may say.
      schema: schema as Schema | undefined,
      key: typeof key === 'string' ? key : undefined,
      documents: Object.entries(documents).map(([title, fields]) => {
        const path = [...place, 'documents', title]
        if (!isObject(fields)) throw badSeed(file, lineOf(path), `"${name}.${title}" is not an object`)
        return {
          name: title,
          fields,
          get line() {
            return lineOf(path)
          },
        }
      }),
    }
  })
}

export function badSeed(file: string, line: number, what: string, cause?: unknown): CliFailure {
  return new CliFailure('BAD_SEED', exits.invalid, `${file}:${line}: ${what}.`, undefined, { cause })
}
