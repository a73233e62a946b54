/** Describes the differences between two versions of a schema in words. */
import type { FieldRule, Schema } from '../../../../client/protocol/model/collection.js'
import { describeBounds, describeLength } from '../form/rules.js'

export interface Change {
  readonly field: string
  readonly option: string
  readonly text: string
  /** Whether stored documents may break it. */
  readonly isStricter: boolean
}

const loosening = new Set(['description', 'default', 'onDelete'])

export function findChanges(before: Schema, after: Schema): readonly Change[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  const found = names.flatMap((field): Change[] => {
    const [was, is] = [own(before, field), own(after, field)]
    if (!is) return [{ field, option: 'type', text: 'no longer in the schema', isStricter: false }]
    if (!was) return [{ field, option: 'type', text: `new, ${is.type}`, isStricter: true }]
    return findOptions(field, was, is)
  })
  const isMoved = found.length === 0 && Object.keys(before).join() !== Object.keys(after).join()
  return isMoved ? [{ field: '', option: 'order', text: 'fields in another order', isStricter: false }] : found
}

type Options = Readonly<Record<string, unknown>>

function findOptions(field: string, was: FieldRule, is: FieldRule): Change[] {
  const [before, after]: readonly [Options, Options] = [{ ...was }, { ...is }]
  const options = [...new Set([...Object.keys(is), ...Object.keys(was)])]
  return options
    .filter((option) => JSON.stringify(before[option]) !== JSON.stringify(after[option]))
    .map((option) => ({
      field,
      option,
      text: describeOption(option, before[option], after[option]),
      isStricter: after[option] !== undefined && !loosening.has(option),
    }))
}

function describeOption(option: string, was: unknown, is: unknown): string {
  if (is === undefined) return `${option} removed`
  if (typeof is === 'boolean') return is ? option : `not ${option}`
  if (typeof is === 'object') return `${option} changed`
  return was === undefined
    ? `${option} ${is}`
    : `${option} ${is}, was ${typeof was === 'string' ? was : JSON.stringify(was)}`
}

/** Sums up the options of a field, such as `1 to 120 characters`. */
export function describeOptions(rule: FieldRule): string {
  const { type, min, max, minLength, maxLength, pattern, format, items, fields, to, many, onDelete } = rule
  const parts = [
    to === undefined ? '' : `${many ? 'many' : 'one'} of ${to}`,
    onDelete === undefined || onDelete === 'keep' ? '' : `${onDelete} with it`,
    items ? describeItems(items) : '',
    fields ? `fields ${Object.keys(fields).join(', ')}` : '',
    describeBounds(min, max).trim(),
    describeLength(minLength, maxLength, type === 'array' ? 'item' : 'character', ''),
    format === undefined ? '' : `format ${format}`,
    pattern ?? '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

function describeItems({ type, fields, to, enum: values }: FieldRule): string {
  // The choices are shown as tags.
  if (values) return ''
  if (fields) return `of objects: ${Object.keys(fields).join(', ')}`
  return `of ${to === undefined ? type : `links to ${to}`}`
}

function own(schema: Schema, name: string): FieldRule | undefined {
  return Object.hasOwn(schema, name) ? schema[name] : undefined
}
