/**
 * Fields that pulls have redacted, by project and name of the collection, and by its id. The id changes where it is deleted and made
 * again, as by `svc reset` or a nightly copy, and the name where it is renamed; what was personal there still is.
 */
import { join } from 'node:path'
import type { Collection } from '../../client/protocol/model/collection.js'
import { isObject, type JsonObject } from '../../client/protocol/model/json.js'
import { hashOf } from '../files/hash.js'
import { recordsFolder } from '../target/records-folder.js'
import { appendLines, readLines } from './line-file.js'

/** A service has one address for all of its projects, and tells a key nowhere which one it is for: the key itself says it. */
interface Project {
  readonly url: string
  readonly key: string | undefined
}

/** As the service has it. */
type Named = Pick<Collection, 'id' | 'name'>

function fileOf({ url }: Project): string {
  return join(recordsFolder(), 'pairs', `redacted-${hashOf([url]).slice(0, 32)}.ndjson`)
}

function idOf({ url, key = '' }: Project): string {
  return hashOf([url, key]).slice(0, 32)
}

/** Dotted names. */
export function redactedFields(project: Project, { id, name }: Named): ReadonlySet<string> {
  const own = idOf(project)
  return fieldsOf(project, (line) => line.id === id || (line.project === own && line.collection === name))
}

/** Remembers them, once. */
export function keepRedacted(project: Project, collection: Named, fields: readonly string[]): void {
  const own = idOf(project)
  const { id, name } = collection
  const known = redactedFields(project, collection)
  // One that is known by the id alone is to be known by the name as well, and the other way round.
  const whole = fieldsOf(project, (line) => line.id === id && line.project === own && line.collection === name)
  append(
    project,
    collection,
    fields.filter((field) => !known.has(field) || !whole.has(field)).map((field) => ({ field })),
  )
}

function fieldsOf(project: Project, isMeant: (line: JsonObject) => boolean): ReadonlySet<string> {
  const fields = new Set<string>()
  for (const line of readLines(fileOf(project)).values) {
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
    fileOf(project),
    rules.map((rule) => ({ project: idOf(project), collection: name, id, ...rule })),
  )
}
