import type { FieldRule, Schema, ValueRule } from '../../client/protocol/model/collection.js'
import type { Row } from '../terminal/print.js'

/** Formats each rule of a schema as a table row, nested ones as `address.zip` and `people[].age`. */
export function ruleRows(schema: Schema, path = ''): Row[] {
  return Object.entries(schema).flatMap(([name, rule]) => {
    const { required = false, default: value } = rule
    const rules = optionWords(rule)
    const row: Row = {
      field: `${path}${name}`,
      type: typeWords(rule),
      required,
      ...(value === undefined ? {} : { default: value }),
      ...(rules === '' ? {} : { rules }),
    }
    return [row, ...innerRows(rule, `${path}${name}`)]
  })
}

function innerRows({ fields, items }: ValueRule, path: string): Row[] {
  return [...(fields ? ruleRows(fields, `${path}.`) : []), ...(items ? innerRows(items, `${path}[]`) : [])]
}

/** Formats a type with the target of a link, or the type of the items. */
function typeWords({ type, to, many, items }: ValueRule): string {
  if (type === 'link') return `${many ? 'links' : 'link'} to ${to ?? 'nothing'}`
  return items ? `${type} of ${typeWords(items)}` : type
}

/** Options that other columns show, or that are too long for a table. */
const shownElsewhere = ['type', 'required', 'default', 'description', 'fields', 'items', 'to', 'many']

function optionWords(rule: FieldRule): string {
  const options = Object.entries(rule).filter(([name]) => !shownElsewhere.includes(name))
  const words = options.map(([name, value]) => {
    if (value === true) return name
    return `${name} ${Array.isArray(value) ? value.map((one) => JSON.stringify(one)).join(' | ') : String(value)}`
  })
  return [...words, ...(rule.items ? [optionWords(rule.items)] : [])].filter((text) => text !== '').join(', ')
}
