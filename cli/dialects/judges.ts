/** How the form of each axis shows in what was seen. The compiler asks for a judge of each axis. */
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { type Axis, axes, axisNames, type Form, listForms } from '../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../client/protocol/wire/codec.js'
import type { Finding } from './finding.js'
import { bestFit, looksOf } from './fit.js'
import type { Seen, SeenAnswer } from './seen.js'

/** What was seen of an axis; nothing where that says nothing. */
type Judge<Name extends Axis> = (seen: Seen) => readonly [form: Form<Name>, evidence: string] | undefined

/** The forms that the answers show, of all axes of the registry. */
export function judge(seen: Seen): Finding[] {
  return axisNames().flatMap((axis) => {
    const [form, evidence] = judges[axis]?.(seen) ?? []
    return form ? [{ axis, form, evidence } as Finding] : []
  })
}

const judges: { readonly [Name in Axis]: Judge<Name> } = {
  paths: ({ plain, page }) => {
    if (!plain || !page) return undefined
    if (isList(plain)) return ['flat', 'GET /collections/<c> is its documents']
    return ['nested', 'documents are at /collections/<c>/documents']
  },
  document: ({ page }) => fitting(schemasOf(axes.document), 'a document is', itemsOf(page?.body)[0]),
  record: ({ record }) => fitting(envelopesOf(axes.record, {}), 'a success is', record.body),
  list: ({ page }) =>
    page && fitting(envelopesOf(axes.list, { type: 'object' }), 'documents come as', unwrapped(page.body)),
  paging: ({ page }) => {
    const limit = page && limitOf(page)
    const form = listForms('paging').find((one) => axes.paging[one].default === limit)
    return form && [form, `a page without limit has ${limit}`]
  },
  filters: ({ filtered }) => {
    if (!filtered) return undefined
    const isDouble = finds(filtered.double)
    if (finds(filtered.single)) return isDouble ? ['both', '__eq and _eq are suffixes'] : ['single', '_eq is a suffix']
    return isDouble ? ['double', '__eq is a suffix, _eq is part of the name'] : undefined
  },
  errors: ({ missing: { status, body } }) =>
    status >= 400 ? fitting(schemasOf(axes.errors), 'an error is', body) : undefined,
  // Only a write would show these, and a login that needs a code the last one.
  body: () => undefined,
  put: () => undefined,
  events: () => undefined,
  frames: () => undefined,
  two_factor: () => undefined,
}

function finds(answer: SeenAnswer): boolean {
  return isList(answer) && itemsOf(answer.body).length > 0
}

function fitting<Name extends string>(
  schemas: Readonly<Record<Name, JsonSchema>>,
  subject: string,
  value: Json | undefined,
): readonly [Name, string] | undefined {
  const form = bestFit(schemas, value)
  return form && [form, `${subject} ${looksOf(schemas[form])}`]
}

function schemasOf<Name extends string>(table: Readonly<Record<Name, { readonly schema: JsonSchema }>>) {
  return envelopesOf(table, {})
}

/** The schemas of a table; of envelopes, around that schema. */
function envelopesOf<Name extends string>(
  table: Readonly<Record<Name, { readonly schema: JsonSchema | ((inner: JsonSchema) => JsonSchema) }>>,
  inner: JsonSchema,
): Record<Name, JsonSchema> {
  const schemas = (Object.keys(table) as Name[]).map((form) => {
    const { schema } = table[form]
    return [form, typeof schema === 'function' ? schema(inner) : schema] as const
  })
  return Object.fromEntries(schemas) as Record<Name, JsonSchema>
}

/** The fields of a document, whatever its form. */
export function fieldsOf(document: Json | undefined): JsonObject {
  if (!isObject(document)) return {}
  const isFlat = bestFit(schemasOf(axes.document), document) === 'flat'
  return !isFlat && isObject(document.data) ? document.data : document
}

function limitOf({ body, header }: SeenAnswer): Json | undefined {
  const answer = unwrapped(body)
  return isObject(answer) ? answer.limit : Number(header('x-limit'))
}

/** The items of a page, whatever stands around them. */
export function itemsOf(body: Json | undefined): readonly Json[] {
  return listIn(body) ?? []
}

export function isList({ status, body }: SeenAnswer): boolean {
  return status === 200 && listIn(body) !== undefined
}

function listIn(body: Json | undefined): readonly Json[] | undefined {
  const answer = unwrapped(body)
  if (Array.isArray(answer)) return answer
  return isObject(answer) && Array.isArray(answer.documents) ? answer.documents : undefined
}

export function unwrapped(body: Json | undefined): Json | undefined {
  return isObject(body) && body.success === true && body.data !== undefined ? body.data : body
}
