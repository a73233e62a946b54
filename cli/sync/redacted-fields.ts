/**
 * Remembers redacted fields by the collection's name and by its id. The id changes when a collection is created again, the name
 * when it is renamed; the data is personal in both cases.
 */
import { join } from 'node:path'
import type { Collection } from '../../client/protocol/model/collection.js'
import { isObject, type JsonObject } from '../../client/protocol/model/json.js'
import { hashJson } from '../files/hash.js'
import { recordsFolder } from '../target/records-folder.js'
import { appendLines, readLines } from './line-file.js'

/** Identified by its key, since all projects of a service share one address. */
interface Project {
  readonly url: string
  readonly key: string | undefined
}

/** The service's name and id. */
type Named = Pick<Collection, 'id' | 'name'>

function recordFile({ url }: Project): string {
  return join(recordsFolder(), 'pairs', `redacted-${hashJson([url]).slice(0, 32)}.ndjson`)
}

function projectHash({ url, key = '' }: Project): string {
  return hashJson([url, key]).slice(0, 32)
}

/** Returns dotted names. */
export function redactedFields(project: Project, { id, name }: Named): ReadonlySet<string> {
  const own = projectHash(project)
  return findFields(project, (line) => line.id === id || (line.project === own && line.collection === name))
}

/** Saves the fields that are new. */
export function keepRedacted(project: Project, collection: Named, fields: readonly string[]): void {
  const own = projectHash(project)
  const { id, name } = collection
  const known = redactedFields(project, collection)
  // A field known only by id is saved by name too, and the reverse.
  const whole = findFields(project, (line) => line.id === id && line.project === own && line.collection === name)
  append(
    project,
    collection,
    fields.filter((field) => !known.has(field) || !whole.has(field)).map((field) => ({ field })),
  )
}

function findFields(project: Project, isMeant: (line: JsonObject) => boolean): ReadonlySet<string> {
  const fields = new Set<string>()
  for (const line of readLines(recordFile(project)).values) {
    if (!isObject(line) || typeof line.field !== 'string' || !isMeant(line)) continue
    if (line.isOver) fields.delete(line.field)
    else fields.add(line.field)
  }
  return fields
}

export function forgetRedacted(project: Project, collection: Named, fields: readonly string[]): void {
  append(
    project,
    collection,
    fields.map((field) => ({ field, isOver: true })),
  )
}

function append(project: Project, { id, name }: Named, rules: readonly object[]): void {
  if (rules.length === 0) return
  appendLines(
    recordFile(project),
    rules.map((rule) => ({ project: projectHash(project), collection: name, id, ...rule })),
  )
}
