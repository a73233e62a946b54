/** Lists the differences between two versions of the settings of a collection for its documents, in words. */
import { type FieldRule, findRule, type Schema } from './collection.js'

export interface DocumentSettings {
  readonly schema: Schema
  readonly unique?: readonly (readonly string[])[] | undefined
  /** null removes a stored one. */
  readonly title?: string | null | undefined
}

export interface SettingsChange {
  /** A field, the fields of a group that is unique together, or none for the collection itself. */
  readonly fields: readonly string[]
  /** The option that differs; `type` of a field that is new or gone. */
  readonly option: string
  readonly text: string
  /** Whether stored documents may break it. */
  readonly isStricter: boolean
}

type Options = Readonly<Record<string, unknown>>

/** Options that never refuse a value. */
const loosening = new Set(['description', 'onDelete'])

export function findSettingsChanges(before: DocumentSettings, after: DocumentSettings): SettingsChange[] {
  const found = [
    ...findFieldChanges(before.schema, after.schema),
    ...findGroupChanges(before.unique ?? [], after.unique ?? []),
    ...findTitleChange(before.title ?? null, after.title ?? null),
  ]
  const isMoved = found.length === 0 && Object.keys(before.schema).join() !== Object.keys(after.schema).join()
  return isMoved ? [{ fields: [], option: 'order', text: 'fields in another order', isStricter: false }] : found
}

function findFieldChanges(before: Schema, after: Schema): SettingsChange[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  return names.flatMap((name): SettingsChange[] => {
    const [was, is] = [findRule(before, name), findRule(after, name)]
    const fields = [name]
    if (!is) return [{ fields, option: 'type', text: 'no longer in the schema', isStricter: false }]
    if (was) return findOptionChanges(fields, was, is)
    const added = { fields, option: 'type', text: `new, ${is.type}`, isStricter: true }
    return is.unique ? [added, { fields, option: 'unique', text: 'unique', isStricter: true }] : [added]
  })
}

function findOptionChanges(fields: readonly string[], was: FieldRule, is: FieldRule): SettingsChange[] {
  const [before, after]: readonly [Options, Options] = [{ ...was }, { ...is }]
  const options = [...new Set([...Object.keys(is), ...Object.keys(was)])]
  return options
    .filter((option) => JSON.stringify(before[option]) !== JSON.stringify(after[option]))
    .map((option) => ({
      ...{ fields, option, text: describeOption(option, before[option], after[option]) },
      isStricter: isStricter(option, is),
    }))
}

function isStricter(option: string, is: FieldRule): boolean {
  // A missing field fits as long as it has a default.
  if (option === 'default') return is.required === true && is.default === undefined
  if (option === 'many') return true
  const value = { ...is }[option as keyof FieldRule]
  return value !== undefined && value !== false && !loosening.has(option)
}

function describeOption(option: string, was: unknown, is: unknown): string {
  if (is === undefined) return `${option} removed`
  if (typeof is === 'boolean') return is ? option : `not ${option}`
  if (typeof is === 'object') return `${option} changed`
  return was === undefined
    ? `${option} ${is}`
    : `${option} ${is}, was ${typeof was === 'string' ? was : JSON.stringify(was)}`
}

type Groups = readonly (readonly string[])[]

function findGroupChanges(before: Groups, after: Groups): SettingsChange[] {
  const without = (groups: Groups, others: Groups) => {
    const known = new Set(others.map(identify))
    return groups.filter((group) => !known.has(identify(group)))
  }
  return [
    ...without(after, before).map((fields) => toGroupChange(fields, true)),
    ...without(before, after).map((fields) => toGroupChange(fields, false)),
  ]
}

function identify(group: readonly string[]): string {
  return JSON.stringify([...group].sort())
}

function toGroupChange(fields: readonly string[], isStricter: boolean): SettingsChange {
  return { fields, option: 'unique', text: isStricter ? 'unique together' : 'no longer unique together', isStricter }
}

function findTitleChange(before: string | null, after: string | null): SettingsChange[] {
  if (before === after) return []
  return [{ fields: [], option: 'title', text: `title ${after ?? 'by default'}`, isStricter: false }]
}
