/** Reads answers in any dialect, so that a case compares one axis and nothing else. */
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { documentFieldsIn, unwrapped } from '../dialects/judges.js'
import type { Look } from './case.js'

export interface Answer {
  readonly status: number
  readonly body: Json
  readonly header: (name: string) => string | null
}

/** Returns the records of a list in any envelope. Undefined if the answer is not a list. */
function itemsIn(body: Json): readonly Json[] | undefined {
  const inner = unwrapped(body) ?? null
  if (Array.isArray(inner)) return inner
  if (!isObject(inner)) return undefined
  const { documents, users, data } = inner
  return [documents, users, data].find((one) => Array.isArray(one)) as readonly Json[] | undefined
}

/** Returns the document of an answer, or the first one of a list. */
function documentIn(body: Json): Json {
  const items = itemsIn(body)
  return (items ? items[0] : unwrapped(body)) ?? null
}

const ownNames = ['id', 'createdAt', 'updatedAt', 'created_at', 'updated_at', 'collection', 'collection_id', 'version']

/** Returns the fields of a document, without those that the service adds. */
function fieldsIn(document: Json): JsonObject {
  const isInside = isObject(document) && documentFieldsIn(document) !== document
  const fields = documentFieldsIn(document)
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isInside || !ownNames.includes(name)))
}

/** Reads a text at the top of an answer, whatever its envelope. */
export function textIn(body: Json, name: string): string | undefined {
  const inner = unwrapped(body)
  const value = isObject(inner) ? inner[name] : undefined
  return typeof value === 'string' ? value : undefined
}

const matchers: readonly (readonly [form: RegExp, shown: string])[] = [
  [/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i, '<id>'],
  [/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/, '<time>'],
  [/^\d{4}-\d\d-\d\dT[\d:.]+$/, '<time without a zone>'],
  [/^https?:\/\//, '<url>'],
  [/^ey[\w-]+\.[\w-]+\.[\w-]*$/, '<token>'],
  [/^parity\+[^@]*@/i, '<email>'],
  [/^parity_/, '<name>'],
]

/** Replaces what differs between two services that agree: ids, times, addresses, tokens and the names of the run. */
function matched(value: Json): Json {
  if (typeof value === 'string') return matchers.find(([form]) => form.test(value))?.[1] ?? value
  if (Array.isArray(value)) return value.map(matched)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, matched(inner)]))
}

/** Replaces texts and numbers by their kind, so that only the structure is left. Codes stay, because apps read them. */
function describeStructure(value: Json, key = ''): Json {
  if (typeof value === 'string') return key === 'code' || /^<.*>$/.test(value) ? value : '<text>'
  if (typeof value === 'number') return '<number>'
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => describeStructure(item))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, describeStructure(inner, name)]))
}

function numbersIn(body: Json): Json[] {
  return (itemsIn(body) ?? []).map((item) => fieldsIn(item).n ?? null)
}

function describeKind(body: Json): string {
  if (itemsIn(body)) return 'documents'
  const inner = unwrapped(body)
  return isObject(inner) && typeof inner.name === 'string' ? 'the record of the collection' : 'something else'
}

/** Returns the envelope of a list, with the records left out. */
function describeEnvelope(body: Json): Json {
  const inner = unwrapped(body) ?? null
  if (!isObject(inner)) return Array.isArray(inner) ? 'an array' : describeStructure(inner)
  const entries = Object.entries(inner).map(([name, value]) => [name, Array.isArray(value) ? '<records>' : '<value>'])
  return Object.fromEntries(entries)
}

function isWrapped(body: Json): boolean {
  return isObject(body) && body.success === true && body.data !== undefined
}

const sessionNames = ['token', 'access_token', 'user', 'email', 'requires_2fa', 'message']

/** Returns which members of a session an answer has at the top. */
function sessionIn(body: Json): Json {
  const inner = unwrapped(body)
  return isObject(inner) ? sessionNames.filter((name) => inner[name] !== undefined) : 'no session'
}

function linksIn(body: Json): Json {
  const fields = Object.entries(fieldsIn(documentIn(body)))
  return Object.fromEntries(fields.map(([name, value]) => [name, isObject(value) ? 'the record' : 'a value']))
}

export interface Seen {
  readonly answer: Answer
  /** Events of the subscription, if the case has one. */
  readonly frames: readonly JsonObject[]
}

type Reader = (seen: Seen) => Json

const readers: { readonly [L in Look]: Reader } = {
  outcome: () => null,
  status: () => null,
  rows: ({ answer }) => numbersIn(answer.body).toSorted((one, other) => Number(one) - Number(other)),
  order: ({ answer }) => numbersIn(answer.body),
  count: ({ answer }) => itemsIn(answer.body)?.length ?? 'no list',
  kind: ({ answer }) => describeKind(answer.body),
  list: ({ answer }) => describeEnvelope(answer.body),
  record: ({ answer }) => (isWrapped(answer.body) ? '{success, data}' : 'bare'),
  document: ({ answer }) => describeStructure(matched(documentIn(answer.body))),
  fields: ({ answer }) => matched(fieldsIn(documentIn(answer.body))),
  links: ({ answer }) => linksIn(answer.body),
  error: ({ answer }) => describeStructure(matched(answer.body)),
  body: ({ answer }) => describeStructure(matched(unwrapped(answer.body) ?? null)),
  value: ({ answer }) => matched(unwrapped(answer.body) ?? null),
  session: ({ answer }) => sessionIn(answer.body),
  event: ({ frames }) => frames.map(({ event }) => event ?? null),
  // Both families of names begin with the same letter.
  changes: ({ frames }) => frames.map(({ event }) => String(event).charAt(0)),
  frame: ({ frames }) =>
    frames.map((frame) =>
      Object.fromEntries(
        Object.entries(frame).map(([name, value]) => [name, isObject(value) ? '<record>' : '<value>']),
      ),
    ),
}

/** Reads what a case compares. */
export function lookAt(look: Look, seen: Seen): Json {
  return readers[look](seen)
}
