/** How the form of each axis shows in what was seen. The compiler asks for a judge of each axis. */
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { type Axis, axes, axisNames, type Form, formsOf } from '../../client/protocol/wire/axes.js'
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
    if (!page) return undefined
    return isList(plain)
      ? ['flat', 'GET /collections/<c> is its documents']
      : ['nested', 'GET /collections/<c> is its record']
  },
  document: ({ page }) => fitting(schemasOf(axes.document), 'a document is', itemsOf(page?.body)[0]),
  body: ({ created }) => {
    if (!isObject(created)) return undefined
    return 'first' in fieldsOf(created)
      ? ['either', '{data: {…}} is unwrapped']
      : ['bare', '{data: {…}} is a field named data']
  },
  record: ({ collections }) => fitting(envelopesOf(axes.record, {}), 'the list of collections is', collections.body),
  list: ({ page }) =>
    page && fitting(envelopesOf(axes.list, { type: 'object' }), 'documents come as', unwrapped(page.body)),
  paging: ({ page }) => {
    const limit = page && limitOf(page)
    const form = formsOf('paging').find((one) => axes.paging[one].default === limit)
    return form && [form, `a page without limit has ${limit}`]
  },
  filters: ({ page, unknownSuffix, singleSuffix }) => {
    if (!page) return undefined
    if (unknownSuffix.status === 200) return ['single', '?x__nosuch=1 is a field like any other']
    if (!singleSuffix) return undefined
    return totalOf(singleSuffix) === totalOf(page)
      ? ['both', '?x__nosuch=1 is refused, _isnull is a suffix']
      : ['double', '?x__nosuch=1 is refused, _isnull is part of the name']
  },
  put: ({ created, replaced }) => {
    if (!isObject(created) || !isObject(replaced)) return undefined
    const earlier = 'first' in fieldsOf(created) ? 'first' : 'data'
    return earlier in fieldsOf(replaced) ? ['merge', 'PUT keeps other fields'] : ['replace', 'PUT replaces all fields']
  },
  events: ({ event }) => {
    const name = isObject(event) ? event.event : undefined
    const form = formsOf('events').find((one) => axes.events[one].encode('created') === name)
    return form && [form, `an event is called "${name}"`]
  },
  frames: ({ event }) => fitting(schemasOf(axes.frames), 'an event is', event),
  errors: ({ missing }) => fitting(schemasOf(axes.errors), 'an error is', missing.body),
  // Nothing that detection may ask tells: it would take a user whose login needs a code.
  two_factor: () => undefined,
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

function fieldsOf(document: JsonObject): JsonObject {
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

export function totalOf({ body, header }: SeenAnswer): number | null {
  const answer = unwrapped(body)
  if (isObject(answer) && typeof answer.total === 'number') return answer.total
  const total = header('x-total-count')
  return total === null ? null : Number(total)
}

export function unwrapped(body: Json | undefined): Json | undefined {
  return isObject(body) && body.success === true && body.data !== undefined ? body.data : body
}
