/** Finds out before a form is saved which fields changed, and which break a rule. */
import type { Fields, Issue } from '../../../../client/index.js'
import type { Schema } from '../../../../client/protocol/model/collection.js'
import { equalJson, readField, setOwn } from '../../../../client/protocol/model/json.js'
import { checkFields } from '../../../../client/protocol/model/schema.js'
import { shellWord } from '../../../../client/snippets/shell.js'
import { describeIssue } from './rules.js'

export interface Checked {
  readonly changed: readonly string[]
  /** In words that say what is valid. */
  readonly issues: readonly Issue[]
  /** Fields that keep the document from being saved. Stored values that break a rule do not. Contract 13.2. */
  readonly wrong: readonly string[]
}

/** @param base what is stored, or undefined for a new document */
export function checkForm(schema: Schema, data: Fields, base: Fields | undefined): Checked {
  const changed = findChanged(data, base ?? {})
  const found = checkFields(schema, data).map((issue) => ({ ...issue, message: describeIssue(schema, issue) }))
  // A message describes everything that is valid, so two broken rules of one value have the same message.
  const issues = [...new Map(found.map((issue) => [JSON.stringify([issue.path, issue.message]), issue])).values()]
  const names = [...new Set(issues.map(({ path }) => String(path[0])))]
  return { changed, issues, wrong: base ? names.filter((name) => changed.includes(name)) : names }
}

/** Returns the fields that differ, in their order. */
export function findChanged(data: Fields, base: Fields): readonly string[] {
  const names = [...new Set([...Object.keys(base), ...Object.keys(data)])]
  return names.filter((name) => !equalJson(readField(data, name), readField(base, name)))
}

/** Returns some of the fields. */
export function pick(data: Fields, names: readonly string[]): Fields {
  const picked: Fields = {}
  for (const name of names) if (Object.hasOwn(data, name)) setOwn(picked, name, data[name] ?? null)
  return picked
}

/** Nobody pastes longer commands, and the strip would be slow. */
const maxCommand = 10_000

/** Formats fields as words of a command. */
export function formatWords(fields: Fields): string[] {
  return Object.entries(fields).map(([name, value]) =>
    shellWord(typeof value === 'string' ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`),
  )
}

/** Returns the command that saves the form. */
export function formatSaving(
  collection: string,
  id: string | undefined,
  data: Fields,
  changed: readonly string[],
): string {
  const words = formatWords(pick(data, changed))
  const target = [shellWord(collection), ...(id === undefined ? [] : [id])]
  if (words.length === 0 && id !== undefined) return ['svc docs get', ...target].join(' ')
  return [id === undefined ? 'svc docs create' : 'svc docs update', ...target, ...words].join(' ').slice(0, maxCommand)
}
