/** What PostgreSQL can hold. Contract 2.4. */
import { type Issue, SvcError } from '../../client/model/errors.js'
import { formatBytes } from '../../client/model/figures.js'
import type { Json, JsonObject } from '../../client/model/json.js'
import { sizes } from '../../client/model/limits.js'

/**
 * Refuses texts, numbers and field names that cannot be stored. The body's depth is known to be small.
 *
 * @throws {SvcError} `VALIDATION_ERROR` whose issue says where
 */
export function requireStorable(body: JsonObject): void {
  const issue = findIssue(body)
  if (issue) throw new SvcError('VALIDATION_ERROR', `The body holds ${issue.message}.`, [issue])
}

function findIssue(value: Json): Issue | undefined {
  if (typeof value === 'string') return textFault(value)
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : fault('a number that is too large', 'finite_number')
  }
  if (value === null || typeof value === 'boolean') return undefined
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const issue = findIssue(value[at] ?? null)
      if (issue) return { ...issue, path: [at, ...issue.path] }
    }
    return undefined
  }
  for (const key of Object.keys(value)) {
    const issue = nameFault(key) ?? findIssue(value[key] ?? null)
    if (issue) return { ...issue, path: [key.slice(0, 80), ...issue.path] }
  }
  return undefined
}

function textFault(text: string): Issue | undefined {
  if (!text.isWellFormed()) return fault('half of a surrogate pair', 'unicode')
  if (text.includes('\0')) return fault('the character U+0000', 'unicode')
  return undefined
}

function nameFault(name: string): Issue | undefined {
  if (name === '') return fault('a field without a name', 'field_name')
  // No character of UTF-16 takes more than three bytes.
  const isLong = name.length * 3 > sizes.mostFieldNameBytes && Buffer.byteLength(name) > sizes.mostFieldNameBytes
  if (isLong) return fault(`a field name of over ${formatBytes(sizes.mostFieldNameBytes)}`, 'field_name')
  return textFault(name)
}

function fault(message: string, type: string): Issue {
  return { path: [], message, type }
}
