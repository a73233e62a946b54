/** Requests generated from the service's OpenAPI description: valid, nearly valid, and as an attacker would send them. */
import fc from 'fast-check'
import type { Json } from '../../../client/protocol/model/json.js'
import { formOf, type Part } from '../../fixtures/requests/form.js'
import type { Operation, Parameter } from './description.js'
import { hostileBodies, hostileJson, hostileTexts } from './hostile.js'
import { fitting } from './schemas.js'

export interface Shot {
  readonly operation: string
  readonly method: string
  /** With placeholders such as `@document` for ids of the world. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

/** Placeholders of the world, for path parameters and fields. */
const known = ['@document', '@collection', '@file', '@user', '@project', '@email', 'google', '@nothing'] as const

export function shotsAt(operations: readonly Operation[]): fc.Arbitrary<Shot> {
  return fc.constantFrom(...operations).chain(shotAt)
}

function shotAt(operation: Operation): fc.Arbitrary<Shot> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return fc
    .record({
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom('get', 'head', 'options', 'put', 'patch', 'delete', 'post', 'trace') },
      ),
      params: fc.tuple(...names.map(paramFor)),
      query: fc.oneof(
        { weight: 6, arbitrary: fc.tuple(...operation.query.map(maybeGiven)).map((all) => all.flat()) },
        { weight: 1, arbitrary: fc.array(hostileQuery, { maxLength: 4 }) },
      ),
      headers: headers(operation),
      body: bodyOf(operation),
    })
    .map(({ method, params, query, headers, body }) => {
      let at = 0
      const path = operation.path.replaceAll(/\{\w+\}/g, () => params[at++] ?? '')
      return {
        operation: operation.id,
        method: method.toUpperCase(),
        path: query.length > 0 ? `${path}?${query.join('&')}` : path,
        headers: { ...headers, ...body.headers },
        body: body.bytes,
      }
    })
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

function paramFor(name: string): fc.Arbitrary<string> {
  const own = known.find((one) => one === `@${name}`) ?? (name === 'id' ? '@document' : '@nothing')
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant<string>(own) },
    { weight: 2, arbitrary: fc.constantFrom<string>(...known) },
    { weight: 2, arbitrary: hostileText.map((text) => encoded(text).slice(0, 3_000)) },
    { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%00', '..%2f..', '%ff', '.', ';', '%F0%9F') },
  )
}

/** One parameter, as described or not, or left out. */
function maybeGiven({ name, schema }: Parameter): fc.Arbitrary<readonly string[]> {
  const value = fc.oneof(
    { weight: 4, arbitrary: fitting(schema).map(asText) },
    { weight: 1, arbitrary: fc.constantFrom<string>(...known) },
    { weight: 2, arbitrary: hostileText },
  )
  // Filters are parameters named after fields.
  const given = name === 'filters' ? filter : value.map((text) => `${encoded(name)}=${encoded(text)}`)
  return fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: given.map((one) => [one]) })
}

const fieldName = fc.constantFrom(
  'n',
  'title',
  'tags',
  'link',
  'link.n',
  'createdAt',
  'id',
  'a.b.c',
  '',
  '__proto__',
  '[or]n',
)
const suffix = fc.constantFrom(
  '',
  '__gt',
  '__in',
  '__contains',
  '_icontains',
  '__isnull',
  '__nope',
  '__notin',
  '_eq',
  '__or__n',
)
const filter = fc
  .tuple(fieldName, suffix, fc.oneof(hostileTexts, fc.constantFrom('1', 'true', 'null', 'a,b\\,c')))
  .map(([name, suffix, value]) => `${encoded(name + suffix)}=${encoded(value)}`)

const hostileText = fc.oneof(hostileTexts, fc.string({ unit: 'binary', maxLength: 20 }))
const hostileQuery = fc.oneof(
  filter,
  fc.constantFrom(
    '%',
    'a=%zz',
    '=',
    'limit=-1',
    'limit=1e9',
    'offset=x',
    '&&&',
    'populate=a.b.c.d.e.f',
    '[or:=1',
    'a[b]=1',
  ),
  hostileText.map((text) => `${encoded(text)}=${encoded(text)}`.slice(0, 9_000)),
)

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const dialects = [
  'a',
  'b',
  'c',
  'a, document=flat, errors=detail',
  'b, list=page',
  'filters=both',
  'nope',
  'a, x=y',
  '',
]

function headers({ needs }: Operation): fc.Arbitrary<Record<string, string>> {
  const right: Record<string, string> =
    needs === 'control' ? { 'svc-control-token': '@control' } : { 'x-api-key': '@secret' }
  const who = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constant<Record<string, string>>(needs === 'user' ? { authorization: 'Bearer @token' } : right),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Record<string, string>>({ 'x-api-key': '@key' }, { authorization: 'Bearer @key' }),
    },
    { weight: 2, arbitrary: fc.constant({ 'x-api-key': '@key', authorization: 'Bearer @token' }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Record<string, string>>({}, { authorization: 'Basic x' }, { 'x-api-key': 'é' }),
    },
  )
  const more = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Record<string, string>>({}) },
    { weight: 3, arbitrary: fc.constantFrom(...dialects).map((dialect) => ({ 'svc-dialect': dialect })) },
    { weight: 1, arbitrary: hostileHeader },
  )
  return fc.tuple(who, more).map(([who, more]) => ({ ...who, ...more }))
}

/** A value that an HTTP client sends. */
const headerText = hostileText.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 2_000))
const hostileHeader = fc
  .tuple(
    fc.constantFrom(
      'if-match',
      'if-none-match',
      'idempotency-key',
      'prefer',
      'range',
      'origin',
      'host',
      'accept',
      'last-event-id',
      'x-forwarded-for',
      'cookie',
      'svc-dialect',
      'expect',
      'accept-encoding',
    ),
    headerText,
  )
  .map(([name, text]) => ({ [name]: text }))

interface Body {
  readonly bytes: string | Buffer | undefined
  readonly headers: Readonly<Record<string, string>>
}

const none: Body = { bytes: undefined, headers: {} }
const json = { 'content-type': 'application/json' }

function bodyOf({ json: schema, form }: Operation): fc.Arbitrary<Body> {
  if (!schema && !form) {
    return fc.oneof({ weight: 12, arbitrary: fc.constant(none) }, { weight: 1, arbitrary: hostileBody })
  }
  const right = schema ? fitting(schema) : fc.constant<Json>({})
  return fc.oneof(
    { weight: schema ? 5 : 0, arbitrary: right.map((value) => ({ bytes: JSON.stringify(value), headers: json })) },
    {
      weight: schema ? 4 : 0,
      arbitrary: nearly(right).map((value) => ({ bytes: JSON.stringify(value), headers: json })),
    },
    { weight: form ? 4 : 1, arbitrary: multipart },
    { weight: 2, arbitrary: hostileBody },
  )
}

/** A value with one part replaced. */
function nearly(right: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(right, hostileJson, fc.nat(), fc.constantFrom('replace', 'remove', 'add'))
    .map(([value, other, at, how]) => {
      if (typeof value !== 'object' || value === null) return other
      const keys = Object.keys(value)
      const key = keys[at % Math.max(1, keys.length)] ?? 'extra'
      if (Array.isArray(value)) return [...value, other]
      if (how === 'add') return { ...value, [`extra${at % 3}`]: other }
      const { [key]: _, ...rest } = value
      return how === 'remove' ? rest : { ...rest, [key]: other }
    })
}

const types = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'APPLICATION/JSON',
  'application/json;',
  '',
] // prettier-ignore

const hostileBody: fc.Arbitrary<Body> = fc
  .tuple(
    fc.oneof(
      hostileBodies,
      hostileJson.map((value) => Buffer.from(JSON.stringify(value))),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    ),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('application/json') },
      { weight: 1, arbitrary: fc.constantFrom(...types) },
    ),
    fc.oneof(
      { weight: 6, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constantFrom({ 'content-encoding': 'gzip' }, { 'content-encoding': 'x' }) },
    ),
  )
  .map(([bytes, type, encoding]) => ({
    bytes,
    headers: { ...(type === '' ? {} : { 'content-type': type }), ...encoding },
  }))

const part: fc.Arbitrary<Part> = fc.record(
  {
    name: fc.oneof(
      fc.constantFrom('data', 'file', 'cover', 'path', 'email', 'password', 'steps', 'mode', '$append', ''),
      hostileText.map((text) => text.replaceAll(/[\r\n]/g, ' ')),
    ),
    content: fc.oneof(
      fc.constantFrom('{}', '{"n":1}', '[', 'a/b', '../x'),
      hostileText,
      hostileJson.map((value) => JSON.stringify(value)),
    ),
    filename: fc.constantFrom('a.txt', '', '..', 'a/b.png', 'x'.repeat(300), 'ü"\\.svg', undefined, undefined),
    type: fc.constantFrom('text/plain', 'image/png', 'application/json', 'x', undefined),
  },
  { requiredKeys: ['name', 'content'] },
) as fc.Arbitrary<Part>

/** A form, whole or damaged. */
const multipart: fc.Arbitrary<Body> = fc
  .tuple(fc.array(part, { maxLength: 4 }), fc.constantFrom('whole', 'whole', 'cut', 'flipped', 'no boundary'), fc.nat())
  .map(([parts, damage, at]) => {
    const { headers, body } = formOf(...parts)
    const place = at % body.length
    if (damage === 'cut') return { bytes: body.subarray(0, place), headers }
    if (damage === 'no boundary') return { bytes: body, headers: { 'content-type': 'multipart/form-data' } }
    if (damage === 'flipped') body[place] = (body[place] ?? 0) ^ (1 << (at % 8))
    return { bytes: body, headers }
  })
