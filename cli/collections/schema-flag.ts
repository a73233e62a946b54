/** Reads the schema flags `--field title:string!` and `--schema file`. */
import { type FieldRule, fieldTypes, type Schema } from '../../client/protocol/model/collection.js'
import type { Json } from '../../client/protocol/model/json.js'
import { misuse } from '../base/failure.js'
import { readJsonObject } from '../documents/fields-args.js'
import { nearest } from '../terminal/nearest.js'

/** Merges the file and the fields, which win. Undefined without either. */
export async function readSchema({
  field,
  schema,
}: {
  field?: readonly string[]
  schema?: string
}): Promise<Schema | undefined> {
  if (field === undefined && schema === undefined) return undefined
  // The service validates the file, because it knows which rules exist.
  const rules = schema === undefined ? {} : ((await readJsonObject(schema)) as unknown as Schema)
  return { ...rules, ...Object.fromEntries((field ?? []).map(readRule)) }
}

function readRule(text: string): readonly [string, FieldRule] {
  const parts = /^(?<name>[^:]+):(?<type>[a-z]+)(?<required>!?)(?:=(?<value>.+))?$/s.exec(text)?.groups
  if (!parts?.name) throw misuse(`Not a valid field: "${text}".`, 'Use title:string, title:string! or views:integer=0.')
  const type = fieldTypes.find((known) => known === parts.type)
  if (!type) {
    const meant = nearest(parts.type ?? '', fieldTypes)
    const hint = meant ? `Did you mean "${meant}"?` : `Use one of: ${fieldTypes.join(', ')}.`
    throw misuse(`Not a valid field type: "${parts.type}".`, hint)
  }
  return [
    parts.name,
    {
      type,
      ...(parts.required ? { required: true } : {}),
      ...(parts.value === undefined ? {} : { default: readDefault(parts.value) }),
    },
  ]
}

/** Parses JSON, or else keeps the text: `=0` is a number, `=draft` is text. */
function readDefault(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
