/** Describes a schema, and the differences between two versions of it, in words. */
import type { FieldRule } from '../../../../client/protocol/model/collection.js'
import {
  type DocumentSettings,
  findSettingsChanges,
  type SettingsChange,
} from '../../../../client/protocol/model/settings-changes.js'
import { describeBounds, describeLength } from '../form/rules.js'

export interface Change extends Omit<SettingsChange, 'fields'> {
  /** Several are joined; empty for the collection itself. */
  readonly field: string
}

export function findChanges(before: DocumentSettings, after: DocumentSettings): Change[] {
  return findSettingsChanges(before, after).map(({ fields, ...change }) => ({ ...change, field: fields.join(', ') }))
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
