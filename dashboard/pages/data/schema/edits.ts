/** Changes of a schema as an editor makes them. Fields keep their order. */
import type { FieldRule, FieldType, Schema, ValueRule } from '../../../../client/protocol/model/collection.js'
import { isOwnOption } from '../../../../client/protocol/model/schema-contradictions.js'

type Option = keyof FieldRule

const common: readonly Option[] = ['type', 'required', 'description']
/** The types whose allowed values are edited as lines of text. */
const typesInLines: readonly FieldType[] = ['string', 'number', 'integer']

/** Tells whether the editor shows the option for the type. */
export function hasOption(type: FieldType, option: Option): boolean {
  return isOwnOption(type, option) && (option !== 'enum' || typesInLines.includes(type))
}

/** Returns the rule with another type, without the options that the type does not have. */
export function withType<Rule extends ValueRule>(rule: Rule, type: FieldType): Rule {
  const kept = Object.entries(rule).filter(
    ([option]) => common.includes(option as Option) || (hasOption(type, option as Option) && option !== 'enum'),
  )
  const more = type === 'array' ? { items: { type: 'string' } } : type === 'object' ? { fields: {} } : {}
  return { ...Object.fromEntries(kept), type, ...more } as Rule
}

/** Returns the rule with an option set, or without it if the value is undefined, false or empty. */
export function withOption<Rule extends ValueRule>(rule: Rule, option: Option, value: unknown): Rule {
  const { [option]: _, ...rest } = rule as FieldRule
  const isUnset = value === undefined || value === '' || (value === false && option !== 'default')
  return (isUnset ? rest : { ...rest, [option]: value }) as Rule
}

export function withRule(schema: Schema, name: string, rule: FieldRule | undefined): Schema {
  const fields = Object.entries(schema).flatMap(([field, before]): [string, FieldRule][] => {
    if (field !== name) return [[field, before]]
    return rule ? [[field, rule]] : []
  })
  if (rule && !Object.hasOwn(schema, name)) fields.push([name, rule])
  return Object.fromEntries(fields)
}

export function withName(schema: Schema, name: string, next: string): Schema {
  return Object.fromEntries(Object.entries(schema).map(([field, rule]) => [field === name ? next : field, rule]))
}

/** Moves a field by some places. */
export function withMoved(schema: Schema, name: string, by: number): Schema {
  const fields = Object.entries(schema)
  const from = fields.findIndex(([field]) => field === name)
  const to = Math.min(Math.max(from + by, 0), fields.length - 1)
  fields.splice(to, 0, ...fields.splice(from, 1))
  return Object.fromEntries(fields)
}

/** Returns a name that no field has yet. */
export function newName(schema: Schema): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'field' : `field${number}`
    if (!Object.hasOwn(schema, name)) return name
  }
}

/** Why a field cannot be unique. Undefined if it can. */
export function whyNotUnique({ type, many }: FieldRule): string | undefined {
  if (type === 'link' && many) return 'A list of links cannot be unique.'
  return hasOption(type, 'unique') ? undefined : `Values of type ${type} cannot be unique.`
}

/** Why a link cannot have this effect when its target is deleted. Contract 13.1. */
export function whyNotOnDelete({ many, required }: FieldRule, action: string): string | undefined {
  if (action === 'unset' && required && !many) return 'unset needs a field that is not required.'
  return action === 'delete' && many ? 'delete needs a field with one link.' : undefined
}
