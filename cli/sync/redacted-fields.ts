/**
 * Fields that pulls have redacted, by service and name of the collection: its ids change where it is deleted and made again, as by
 * `svc reset` or a nightly copy, and what was personal there still is.
 */
import { join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { hashOf } from '../files/hash.js'
import { configFolder } from '../target/profiles.js'
import { appendLines, readLines } from './line-file.js'

function fileOf(url: string): string {
  return join(configFolder(), 'pairs', `redacted-${hashOf([url]).slice(0, 32)}.ndjson`)
}

/** Dotted names. */
export function redactedFields(url: string, collection: string): ReadonlySet<string> {
  const fields = new Set<string>()
  for (const line of readLines(fileOf(url)).values) {
    if (!isObject(line) || line.collection !== collection || typeof line.field !== 'string') continue
    if (line.isOver) fields.delete(line.field)
    else fields.add(line.field)
  }
  return fields
}

/** Remembers them, once. */
export function keepRedacted(url: string, collection: string, fields: readonly string[]): void {
  const known = redactedFields(url, collection)
  append(
    url,
    fields.filter((field) => !known.has(field)).map((field) => ({ collection, field })),
  )
}

export function forgetRedacted(url: string, collection: string, fields: readonly string[]): void {
  append(
    url,
    fields.map((field) => ({ collection, field, isOver: true })),
  )
}

function append(url: string, lines: readonly object[]): void {
  if (lines.length > 0) appendLines(fileOf(url), lines)
}
