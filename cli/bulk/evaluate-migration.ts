/**
 * Calls the migration function with every document and collects the resulting operations. Writes nothing to the
 * service.
 */

import { relative } from 'node:path'
import { type Document, operatorNames } from '../../client/protocol/model/document.js'
import { equalJson, isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { importModule, readReason } from '../../seeds/import-module.js'
import { CliFailure, exits } from '../base/failure.js'
import { fieldChanges } from '../documents/edit/field-changes.js'
import { shellWord } from '../terminal/shell-word.js'

/** Returns the new data, or nothing to leave the document unchanged. */
type Migrate = (document: Document) => unknown

export interface Migration {
  /** Path of the module, for messages. */
  readonly file: string
  readonly migrate: Migrate
  /** Flags that select the service in suggested commands. */
  readonly target?: string
}

export interface MigratedDocument {
  readonly id: string
  readonly before: JsonObject
  readonly after: JsonObject
}

export interface MigrationPreview {
  /** Number of documents read. */
  readonly documents: number
  /** Number of documents that would change. */
  readonly changes: number
  /** Number of documents in which each field would change. */
  readonly fields: { readonly [name: string]: number }
  /** The first documents that would change. */
  readonly examples: readonly MigratedDocument[]
}

const maxExamples = 3

const howToWrite = 'Write it as: export default ({ data }) => ({ ...data, field: value })'

/**
 * Imports the module.
 *
 * @throws {CliFailure} if it fails to load or has no default function
 */
export async function readMigration(file: string): Promise<Migration> {
  const name = relative(process.cwd(), file)
  const exported = await importModule(file).catch((cause) => {
    throw badMigration(
      `${name} could not be run: ${readReason(cause)}.`,
      'Run it with --debug to see the stack trace',
      cause,
    )
  })
  if (typeof exported === 'function') return { file: name, migrate: exported as Migrate }
  throw badMigration(`${name} has no default export that is a function.`, howToWrite)
}

/**
 * Calls the function for each document in turn and passes on the writes as lines of an operations file.
 *
 * @throws {CliFailure} naming the document, if the function throws or returns something that cannot be a document's
 * data
 */
export async function evaluateMigration(
  documents: AsyncIterable<Document>,
  migration: Migration,
  on: { read(documents: number): void; line(text: string): Promise<void> },
): Promise<MigrationPreview> {
  const fields = new Map<string, number>()
  const examples: MigratedDocument[] = []
  let read = 0
  let changes = 0
  for await (const document of documents) {
    on.read(++read)
    const { id, data: before } = document
    const after = await dataAfter(document, migration)
    const changed = after ? fieldChanges(before, after) : []
    if (!after || changed.length === 0) continue
    changes++
    const names = changed.map(([name]) => name)
    for (const name of names) fields.set(name, (fields.get(name) ?? 0) + 1)
    if (examples.length < maxExamples) examples.push({ id, before, after })
    const isSmaller = changed.some(([, { to }]) => to === undefined)
    const operation = isSmaller
      ? { op: 'replace', id, was: before, data: after }
      : { op: 'update', id, was: some(before, names), data: some(after, names) }
    await on.line(`${JSON.stringify(operation)}\n`)
  }
  return { documents: read, changes, fields: Object.fromEntries(fields), examples }
}

async function dataAfter(
  document: Document,
  { file, migrate, target = '' }: Migration,
): Promise<JsonObject | undefined> {
  const { id, data, collection } = document
  const given = structuredClone(document)
  const bad = (what: string, hint: string, cause?: unknown) =>
    badMigration(`${file} ${what} document "${id}". Nothing was written.`, hint, cause)
  let answer: unknown
  try {
    answer = await migrate(given)
  } catch (cause) {
    throw bad(
      `failed with "${readReason(cause)}" on`,
      `See the document: svc docs get ${shellWord(collection ?? 'COLLECTION')} ${shellWord(id)}${target}`,
      cause,
    )
  }
  if (answer === undefined) {
    if (equalJson(given.data, data)) return undefined
    throw bad('changed the data without returning it for', howToWrite)
  }
  const after = toJson(answer)
  if (!isObject(after)) throw bad('did not return a JSON object for', howToWrite)
  if (answer === given || isWhole(after, document)) {
    throw bad('returned the whole document instead of its data for', howToWrite)
  }
  const operator = operatorNames.find((name) => Object.hasOwn(after, name))
  if (operator !== undefined) throw bad(`returned the field "${operator}", which no document can have, for`, howToWrite)
  return after
}

/** Returns whether the function spread the document instead of its data: `{ ...document, field }`. */
function isWhole(after: JsonObject, { id, data, createdAt }: Document): boolean {
  return (after.id === id || after.createdAt === createdAt) && isObject(after.data) && !isObject(data.data)
}

/** Converts dates to text and drops undefined fields. */
function toJson(value: unknown): Json | undefined {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}

function some(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))
}

function badMigration(message: string, hint: string, cause?: unknown): CliFailure {
  return new CliFailure('BAD_MIGRATION', exits.invalid, message, hint, { cause })
}
