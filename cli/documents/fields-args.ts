/** Reads document fields from the command line: `title=Hello` is text, `views:=3` is JSON. */
import * as Args from '@oclif/core/args'
import type { Issue } from '../../client/protocol/model/errors.js'
import { parseExactJson } from '../../client/protocol/model/exact-json.js'
import { isObject, type JsonObject, setOwn } from '../../client/protocol/model/json.js'
import { warnKeptAsText } from '../../seeds/json-text.js'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { readText } from '../files/read-text.js'
import { shellWord } from '../terminal/shell-word.js'

export const fieldsDescription = 'fields: title=Hello is text, views:=3 and tags:=\'["a"]\' are JSON'

export const collectionArg = Args.string({ required: true, description: 'name of the collection' })
/** Any number of `title=Hello` and `views:=3`. */
export const fieldsArg = Args.string({ multiple: true, description: 'title=Hello is text, views:=3 is JSON' })
export const idArg = Args.string({ required: true, description: 'id of the document' })

/** Merges the fields of a file with the arguments, which win. `-` reads stdin. */
export async function readFileAndFields(file: string | undefined, words: readonly string[]): Promise<JsonObject> {
  return readFields(words, file === undefined ? {} : await readJsonObject(file))
}

/** Merges the given fields with the arguments, which win. */
export function readFields(words: readonly string[], given: JsonObject = {}): JsonObject {
  const fields = { ...given }
  for (const word of words) {
    const [name, value] = readField(word)
    setOwn(fields, name, value)
  }
  return fields
}

function readField(word: string): readonly [string, JsonObject[string]] {
  if (word.startsWith('--')) throw misuse(`Unknown flag "${word}".`)
  const at = word.indexOf('=')
  const isJson = at > 0 && word[at - 1] === ':'
  const name = word.slice(0, isJson ? at - 1 : at)
  if (at < 1 || name === '')
    throw misuse(`Not a valid field: "${word}".`, 'Use title=Hello for text, views:=3 for JSON.')
  const text = word.slice(at + 1)
  if (!isJson) return [name, text]
  try {
    return [name, parseExactJson(text, (literal) => warnKeptAsText(`"${name}"`, literal))]
  } catch {
    throw misuse(`The value of "${name}" is not JSON: ${text}`, `For text, leave out the colon: ${name}=${text}`)
  }
}

/** Suggests `:=` if a value was refused only because it was sent as text. */
export function textHint(words: readonly string[], issues: readonly Issue[]): string | undefined {
  for (const { path } of issues) {
    const name = String(path[0])
    const text = words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
    if (text !== undefined && isOtherJson(text))
      return `"${name}=${text}" is sent as text. To send it as JSON, write ${shellWord(`${name}:=${text}`)}`
  }
  return undefined
}

function isOtherJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) !== 'string'
  } catch {
    return false
  }
}

/** Reads a file that contains one JSON object. `-` reads stdin. */
export async function readJsonObject(file: string): Promise<JsonObject> {
  const content = await readText(file)
  const source = file === '-' ? 'stdin' : file
  let document: unknown
  try {
    document = parseExactJson(content, (literal) => warnKeptAsText(source, literal))
  } catch (cause) {
    throw new CliFailure('INVALID_BODY', exits.invalid, `${source} is not valid JSON.`, undefined, { cause })
  }
  if (isObject(document)) return document
  const hint = 'To create several documents at once: svc docs import'
  throw new CliFailure('INVALID_BODY', exits.invalid, `${source} does not contain a single JSON object.`, hint)
}
