/**
 * Fields that pulls have redacted, by project and name of the collection: its ids change where it is deleted and made again, as by
 * `svc reset` or a nightly copy, and what was personal there still is.
 */
import { join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { hashOf } from '../files/hash.js'
import { configFolder } from '../target/profiles.js'
import { appendLines, readLines } from './line-file.js'

/** A service has one address for all of its projects, and tells a key nowhere which one it is for: the key itself says it. */
interface Project {
  readonly url: string
  readonly key: string | undefined
}

function fileOf({ url }: Project): string {
  return join(configFolder(), 'pairs', `redacted-${hashOf([url]).slice(0, 32)}.ndjson`)
}

function idOf({ url, key = '' }: Project): string {
  return hashOf([url, key]).slice(0, 32)
}

/** Dotted names. */
export function redactedFields(project: Project, collection: string): ReadonlySet<string> {
  const id = idOf(project)
  const fields = new Set<string>()
  for (const line of readLines(fileOf(project)).values) {
    if (!isObject(line) || typeof line.field !== 'string') continue
    if (line.project !== id || line.collection !== collection) continue
    if (line.isOver) fields.delete(line.field)
    else fields.add(line.field)
  }
  return fields
}

/** Remembers them, once. */
export function keepRedacted(project: Project, collection: string, fields: readonly string[]): void {
  const known = redactedFields(project, collection)
  const added = fields.filter((field) => !known.has(field))
  append(
    project,
    added.map((field) => ({ collection, field })),
  )
}

export function forgetRedacted(project: Project, collection: string, fields: readonly string[]): void {
  append(
    project,
    fields.map((field) => ({ collection, field, isOver: true })),
  )
}

function append(project: Project, rules: readonly object[]): void {
  if (rules.length === 0) return
  appendLines(
    fileOf(project),
    rules.map((rule) => ({ project: idOf(project), ...rule })),
  )
}
