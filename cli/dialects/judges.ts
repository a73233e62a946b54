/** Decides the form of each axis from the responses. The compiler requires a judge for every axis. */
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { type Axis, axes, axisNames, type Form, listForms } from '../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../client/protocol/wire/codec.js'
import type { Finding } from './finding.js'
import { bestFit, describeSchema } from './fit.js'
import type { Seen, SeenAnswer } from './seen.js'

/** Returns the form and its evidence. Undefined if the responses do not show it. */
type Judge<Name extends Axis> = (seen: Seen) => readonly [form: Form<Name>, evidence: string] | undefined

/** Returns the forms that the responses show. */
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
  document: ({ page }) => fitting(plainSchemas(axes.document), 'a document is', pageItems(page?.body)[0]),
  record: ({ record }) => fitting(envelopeSchemas(axes.record, {}), 'a success is', record.body),
  list: ({ page }) =>
    page && fitting(envelopeSchemas(axes.list, { type: 'object' }), 'documents come as', unwrapped(page.body)),
  paging: ({ page }) => {
    const limit = page && pageLimit(page)
    const form = listForms('paging').find((one) => axes.paging[one].default === limit)
    return form && [form, `a page without limit has ${limit}`]
  },
  filters: ({ filtered }) => {
    if (!filtered) return undefined
    const isDouble = finds(filtered.double)
    if (finds(filtered.any)) return ['any', '_startswith is a suffix']
    if (finds(filtered.single)) return isDouble ? ['both', '__eq and _eq are suffixes'] : ['single', '_eq is a suffix']
    return isDouble ? ['double', '__eq is a suffix, _eq is part of the name'] : undefined
  },
  errors: ({ missing: { status, body } }) =>
    status >= 400 ? fitting(plainSchemas(axes.errors), 'an error is', body) : undefined,
  // Only a write reveals these forms. `two_factor` even needs a login with a code.
  body: () => undefined,
  put: () => undefined,
  events: () => undefined,
  frames: () => undefined,
  two_factor: () => undefined,
  users: () => undefined,
  session: () => undefined,
  acks: () => undefined,
  populate: () => undefined,
  order: () => undefined,
  refusals: () => undefined,
}

function finds(answer: SeenAnswer): boolean {
  return isList(answer) && pageItems(answer.body).length > 0
}

function fitting<Name extends string>(
  schemas: Readonly<Record<Name, JsonSchema>>,
  subject: string,
  value: Json | undefined,
): readonly [Name, string] | undefined {
  const form = bestFit(schemas, value)
  return form && [form, `${subject} ${describeSchema(schemas[form])}`]
}

function plainSchemas<Name extends string>(table: Readonly<Record<Name, { readonly schema: JsonSchema }>>) {
  return envelopeSchemas(table, {})
}

/** Returns the schemas of a table. Envelopes wrap the inner schema. */
function envelopeSchemas<Name extends string>(
  table: Readonly<Record<Name, { readonly schema: JsonSchema | ((inner: JsonSchema) => JsonSchema) }>>,
  inner: JsonSchema,
): Record<Name, JsonSchema> {
  const schemas = (Object.keys(table) as Name[]).map((form) => {
    const { schema } = table[form]
    return [form, typeof schema === 'function' ? schema(inner) : schema] as const
  })
  return Object.fromEntries(schemas) as Record<Name, JsonSchema>
}

/** Returns the fields of a document in any form. */
export function documentFieldsIn(document: Json | undefined): JsonObject {
  if (!isObject(document)) return {}
  const isFlat = bestFit(plainSchemas(axes.document), document) === 'flat'
  return !isFlat && isObject(document.data) ? document.data : document
}

function pageLimit({ body, header }: SeenAnswer): Json | undefined {
  const answer = unwrapped(body)
  return isObject(answer) ? answer.limit : Number(header('x-limit'))
}

/** Returns the items of a page in any envelope. */
export function pageItems(body: Json | undefined): readonly Json[] {
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
