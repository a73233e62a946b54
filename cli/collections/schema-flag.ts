/** Reads the flags for the settings of documents: `--field title:string!`, `--schema file`, `--unique slug`, `--title name`. */
import * as Flags from '@oclif/core/flags'
import {
  type FieldRule,
  type FieldType,
  fieldTypes,
  findRule,
  type Schema,
} from '../../client/protocol/model/collection.js'
import type { Json } from '../../client/protocol/model/json.js'
import { misuse } from '../base/failure.js'
import { readJsonObject } from '../documents/fields-args.js'
import { nearest } from '../terminal/nearest.js'

const fieldHelp =
  'typed field: name:type; add :a,b for the allowed values or :boards for the target of a link, ! if it is required, and =json for a default'

/** Flags for the settings of documents. */
export const settingsFlags = {
  field: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    description: fieldHelp,
    helpValue: 'name:type',
  }),
  schema: Flags.string({
    description: 'file with the JSON schema of the collection; - reads stdin',
    helpValue: 'file',
  }),
  unique: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    description: 'field whose values must be unique, or several that must be unique together',
    helpValue: 'field[,field]',
  }),
  title: Flags.string({ description: 'field to show for a document', helpValue: 'field' }),
}

interface Settings {
  readonly schema?: Schema
  readonly unique?: readonly (readonly string[])[]
  readonly title?: string
}

interface SettingsFlags {
  readonly field?: readonly string[] | undefined
  readonly schema?: string | undefined
  readonly unique?: readonly string[] | undefined
  readonly title?: string | undefined
}

/**
 * @param before the stored schema, whose fields can become unique
 * @throws {CliFailure} with exit 2 for a unique field without a type
 */
export async function readSettings(flags: SettingsFlags, before: Schema = {}): Promise<Settings> {
  const { unique = [], title } = flags
  const given = await readSchema(flags)
  const groups = unique.map((names) => names.split(','))
  const single = groups.flatMap((names) => (names.length === 1 ? names : []))
  const several = groups.filter((names) => names.length > 1)
  const schema = single.reduce((rules, name) => withUnique(rules, name), given ?? before)
  return {
    ...(given !== undefined || single.length > 0 ? { schema } : {}),
    ...(several.length > 0 ? { unique: several } : {}),
    ...(title === undefined ? {} : { title }),
  }
}

function withUnique(schema: Schema, name: string): Schema {
  const rule = findRule(schema, name)
  if (!rule) throw misuse(`The unique field "${name}" needs a type.`, `Add it: --field ${name}:string`)
  return { ...schema, [name]: { ...rule, unique: true } }
}

/** Merges the file and the fields, which win. Undefined without either. */
async function readSchema({ field, schema }: SettingsFlags): Promise<Schema | undefined> {
  if (field === undefined && schema === undefined) return undefined
  // The service validates the file, because it knows which rules exist.
  // `$schema` is for editors.
  const { $schema: _, ...file } = schema === undefined ? {} : await readJsonObject(schema)
  const rules = Object.entries(file)
  return Object.fromEntries([
    ...rules.map(([name, rule]) => [name, rule as Partial<FieldRule> as FieldRule] as const),
    ...(field ?? []).map(readRule),
  ])
}

function readRule(text: string): readonly [string, FieldRule] {
  const parts = /^(?<name>[^:]+):(?<type>[a-z]+)(?::(?<detail>[^!=]+))?(?<required>!?)(?:=(?<value>.+))?$/s.exec(
    text,
  )?.groups
  if (!parts?.name) {
    const examples = 'title:string, title:string!, views:integer=0, status:string:draft,done or author:link:users'
    throw misuse(`Not a valid field: "${text}".`, `Use ${examples}.`)
  }
  const isMany = parts.type === 'links'
  const type = isMany ? 'link' : fieldTypes.find((known) => known === parts.type)
  if (!type) {
    const meant = nearest(parts.type ?? '', fieldTypes)
    const hint = meant ? `Did you mean "${meant}"?` : `Use one of: ${fieldTypes.join(', ')}.`
    throw misuse(`Not a valid field type: "${parts.type}".`, hint)
  }
  return [
    parts.name,
    {
      type,
      ...(parts.detail === undefined ? {} : readDetail(type, parts.detail)),
      ...(isMany ? { many: true } : {}),
      ...(parts.required ? { required: true } : {}),
      ...(parts.value === undefined ? {} : { default: readDefault(parts.value) }),
    },
  ]
}

/** Reads the target of a link, or the allowed values of another type. */
function readDetail(type: FieldType, detail: string): Pick<FieldRule, 'to' | 'enum'> {
  if (type === 'link') return { to: detail }
  return { enum: detail.split(',').map((value) => (type === 'string' ? value : readDefault(value))) }
}

/** Parses JSON, or else keeps the text: `=0` is a number, `=draft` is text. */
function readDefault(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
