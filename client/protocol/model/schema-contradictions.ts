/** Refuses schemas that contradict themselves, each at its own line. Contract 13.1. */
import {
  type FieldRule,
  type FieldType,
  fieldTypes,
  findRule,
  type Permissions,
  type Schema,
  type ValueRule,
} from './collection.js'
import { operatorNames } from './document.js'
import type { Issue } from './errors.js'
import { canonicalJson } from './json.js'
import { parsePath } from './path.js'
import { compilePattern } from './pattern.js'
import { describeType, hasType, openPass, openValueCheck } from './value-check.js'

/** Chosen by us: objects and arrays within each other. */
const maxDepth = 10

/** The options that go with some types only, in the order of their issues. */
export const ownOptions = [
  ...(['enum', 'min', 'max', 'minLength', 'maxLength', 'pattern', 'format'] as const),
  ...(['fields', 'items', 'to', 'many', 'onDelete', 'unique'] as const),
] satisfies (keyof FieldRule)[]

interface TypeTraits {
  readonly options: readonly (typeof ownOptions)[number][]
  /** Whether a field of the type can be the title of a document. */
  readonly canBeTitle?: true
}

const traits: { readonly [Type in FieldType]: TypeTraits } = {
  string: { options: ['enum', 'minLength', 'maxLength', 'pattern', 'format', 'unique'], canBeTitle: true },
  number: { options: ['enum', 'min', 'max', 'unique'] },
  integer: { options: ['enum', 'min', 'max', 'unique'] },
  boolean: { options: ['enum', 'unique'] },
  array: { options: ['minLength', 'maxLength', 'items'] },
  object: { options: ['fields'] },
  datetime: { options: ['enum'], canBeTitle: true },
  file: { options: [] },
  link: { options: ['to', 'many', 'onDelete', 'unique'] },
  any: { options: ['enum'] },
}

/** Tells whether the option goes with some types, and this is one of them. */
export function isOwnOption(type: FieldType, option: keyof FieldRule): boolean {
  return traits[type].options.some((own) => own === option)
}

/** Validates the fields of a schema. */
export function checkSchema(schema: Schema): Issue[] {
  return checkRules(schema, ['schema'], 1)
}

function checkRules(schema: Schema, path: Issue['path'], depth: number): Issue[] {
  return Object.entries(schema).flatMap(([name, rule]) => {
    const place = [...path, name]
    if (operatorNames.includes(name)) return [{ path: place, message: 'is an operator', type: 'operator' }]
    return [...checkRule(rule, place, depth), ...checkFieldOptions(rule, place, depth)]
  })
}

/** Validates the rule of a field, or of the items of an array. */
function checkRule(rule: ValueRule, place: Issue['path'], depth: number): Issue[] {
  const misplaced = ownOptions.flatMap((option) => {
    if (!Object.hasOwn(rule, option) || isOwnOption(rule.type, option)) return []
    return at(place, option, `works only with the ${formatTypes((type) => isOwnOption(type, option))}`)
  })
  if (misplaced.length > 0) return misplaced
  return [
    ...checkBounds(rule, place),
    ...checkValues(rule, place),
    ...checkLink(rule, place),
    ...checkInner(rule, place, depth),
  ]
}

function checkBounds({ min, max, minLength, maxLength, pattern }: ValueRule, place: Issue['path']): Issue[] {
  const compiled = pattern === undefined ? undefined : compilePattern(pattern)
  return [
    ...(isAbove(min, max) ? at(place, 'max', `must be at least "min", which is ${min}`) : []),
    ...(isAbove(minLength, maxLength)
      ? at(place, 'maxLength', `must be at least "minLength", which is ${minLength}`)
      : []),
    ...(compiled && 'problem' in compiled ? at(place, 'pattern', compiled.problem) : []),
  ]
}

function isAbove(min: number | undefined, max: number | undefined): boolean {
  return min !== undefined && max !== undefined && min > max
}

function checkValues(rule: ValueRule, place: Issue['path']): Issue[] {
  const seen = new Set<string>()
  return (rule.enum ?? []).flatMap((value, index) => {
    if (!hasType(rule, value)) return at(place, ['enum', index], describeType(rule))
    const text = canonicalJson(value)
    const isRepeated = seen.has(text)
    seen.add(text)
    return isRepeated ? at(place, ['enum', index], 'is listed twice') : []
  })
}

function checkLink({ type, to, many, onDelete }: ValueRule, place: Issue['path']): Issue[] {
  if (type === 'link' && to === undefined) return at(place, 'to', 'is required: the name of a collection, or "users"')
  if (many && onDelete === 'delete')
    return at(place, 'onDelete', 'cannot be "delete" together with "many". Use "unset"')
  return []
}

function checkInner({ fields, items }: ValueRule, place: Issue['path'], depth: number): Issue[] {
  if (fields === undefined && items === undefined) return []
  const option = fields === undefined ? 'items' : 'fields'
  if (depth >= maxDepth) return at(place, option, `can be nested at most ${maxDepth} levels deep`)
  if (fields !== undefined) return checkRules(fields, [...place, 'fields'], depth + 1)
  if (items === undefined) return []
  const inItems = [...place, 'items']
  return [...checkRule(items, inItems, depth + 1), ...checkDeleting(items, inItems)]
}

/** Refuses to delete a document for one of the items that it lists. */
function checkDeleting({ onDelete, fields = {} }: ValueRule, place: Issue['path']): Issue[] {
  return [
    ...(onDelete === 'delete' ? at(place, 'onDelete', 'cannot be "delete" in an array. Use "unset"') : []),
    ...Object.entries(fields).flatMap(([name, rule]) => checkDeleting(rule, [...place, 'fields', name])),
  ]
}

/** Validates the options that the items of an array cannot have. */
function checkFieldOptions(rule: FieldRule, place: Issue['path'], depth: number): Issue[] {
  const isNested = depth > 1
  const nested = (['unique', 'default'] as const).filter((option) => isNested && Object.hasOwn(rule, option))
  if (nested.length > 0)
    return nested.flatMap((option) => at(place, option, 'works only in fields of the document itself'))
  const { unique, many, required, onDelete } = rule
  return [
    ...(unique && many ? at(place, 'unique', 'cannot be used together with "many"') : []),
    ...(required && onDelete === 'unset' && !many
      ? at(place, 'onDelete', 'cannot be "unset" for a required field')
      : []),
    ...checkDefault(rule, place),
  ]
}

/** Leaves alone a rule that is refused for another reason. */
function checkDefault(rule: FieldRule, place: Issue['path']): Issue[] {
  if (rule.default === undefined) return []
  const pass = openPass()
  openValueCheck(rule)(rule.default, pass)
  return pass.issues.map(({ path, message, type }) => ({ path: [...place, 'default', ...path], message, type }))
}

/** Settings of a collection that refer to fields of its schema. */
export interface FieldSettings {
  readonly schema: Schema
  readonly unique?: readonly (readonly string[])[] | undefined
  readonly title?: string | null | undefined
  readonly permissions: Permissions
}

/**
 * Validates the settings that name fields of the schema.
 *
 * @param sent the settings in the request, for the place of an issue that two settings cause
 */
export function checkFieldSettings(settings: FieldSettings, sent: Partial<FieldSettings>): Issue[] {
  return [...checkUniqueRules(settings), ...checkHiddenUnique(settings, sent), ...checkTitle(settings)]
}

function checkUniqueRules({ schema, unique = [] }: FieldSettings): Issue[] {
  const seen = new Set<string>()
  return unique.flatMap((names, index) => {
    const place = ['unique', index]
    const issues = names.flatMap((name, position) => {
      if (names.indexOf(name) < position) return at(place, position, 'is listed twice')
      return at(place, position, findUniqueProblem(schema, name))
    })
    const key = JSON.stringify([...names].sort())
    if (seen.has(key)) issues.push(...at(place, [], 'repeats an earlier rule'))
    seen.add(key)
    return issues
  })
}

function findUniqueProblem(schema: Schema, name: string): string | undefined {
  const rule = findRule(schema, name)
  if (rule === undefined) return 'must be a field of the schema'
  if (isOwnOption(rule.type, 'unique') && !rule.many) return undefined
  const types = formatTypes((type) => isOwnOption(type, 'unique'))
  return `must be a field that can be unique: one of the ${types}, without "many"`
}

/** Refuses unique fields that are hidden from some callers, since a refused write would reveal their values. Contract 13.2. */
function checkHiddenUnique({ schema, unique = [], permissions }: FieldSettings, sent: Partial<FieldSettings>): Issue[] {
  const paths = Object.keys(permissions.hidden ?? {})
  if (paths.length === 0) return []
  const places = [
    ...Object.entries(schema).flatMap(([name, rule]) =>
      rule.unique ? [{ name, path: ['schema', name, 'unique'] }] : [],
    ),
    ...unique.flatMap((names, index) => names.map((name, position) => ({ name, path: ['unique', index, position] }))),
  ]
  const isHiding = sent.schema === undefined && sent.unique === undefined
  return places.flatMap(({ name, path }) => {
    const hidden = paths.find((hidden) => parsePath(hidden)[0] === name)
    if (hidden === undefined) return []
    if (isHiding)
      return at(
        ['permissions', 'hidden'],
        hidden,
        'cannot be hidden, because its values are unique. A refused write would reveal them',
      )
    return at(
      path,
      [],
      'cannot be unique, because it is hidden from some callers. A refused write would reveal its values',
    )
  })
}

function checkTitle({ schema, title }: FieldSettings): Issue[] {
  if (title === undefined || title === null) return []
  const rule = findRule(schema, title)
  const canBeTitle = (type: FieldType) => traits[type].canBeTitle === true
  if (rule && canBeTitle(rule.type)) return []
  return at([], 'title', `must be a field of the schema with the ${formatTypes(canBeTitle)}`)
}

function formatTypes(isMeant: (type: FieldType) => boolean): string {
  const quoted = fieldTypes.filter(isMeant).map((type) => `"${type}"`)
  if (quoted.length === 1) return `type ${quoted.join()}`
  return `types ${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
}

type Step = Issue['path'][number]

/** Returns the issue of a place, or nothing without a message. */
function at(place: Issue['path'], inner: Step | readonly Step[], message: string | undefined): Issue[] {
  if (message === undefined) return []
  const path = [...place, ...[inner].flat()]
  return [{ path, message, type: String(path.findLast((step) => typeof step === 'string')) }]
}
