/** Random commands of clients of the service, and how they are sent. */
import fc from 'fast-check'
import { fileOf, formOf } from '../../fixtures/requests/form.js'
import { type Answer, send } from '../../fixtures/requests/http.js'

export type Fields = Readonly<Record<string, unknown>>

/** A document is named by its index among those that were created, deleted or not. */
export type Command =
  | { readonly do: 'create collection' | 'drop collection'; readonly name: string }
  | { readonly do: 'create'; readonly name: string; readonly fields: Fields }
  | { readonly do: 'create batch'; readonly name: string; readonly many: readonly Fields[] }
  | { readonly do: 'patch' | 'put'; readonly document: number; readonly fields: Fields; readonly isGuarded: boolean }
  | { readonly do: 'append' | 'remove'; readonly document: number; readonly value: string }
  | { readonly do: 'delete' | 'get'; readonly document: number }
  | { readonly do: 'delete batch'; readonly documents: readonly number[] }
  | {
      readonly do: 'list'
      readonly name: string
      readonly least: number
      readonly isSorted: boolean
      readonly offset: number
    }
  | { readonly do: 'upload' | 'usage' }
  | { readonly do: 'sign up'; readonly who: number }

const name = fc.oneof({ weight: 4, arbitrary: fc.constant('kept') }, { weight: 2, arbitrary: fc.constant('other') })
const fields: fc.Arbitrary<Fields> = fc.record(
  { n: fc.nat(3), tags: fc.constantFrom<unknown>(['a'], ['b', 'a'], null, 'text'), x: fc.constantFrom(true, 'é') },
  { requiredKeys: [] },
)
const document = fc.nat(12)
const of = <One extends Command>(weight: number, arbitrary: fc.Arbitrary<One>) => ({ weight, arbitrary })

/** @param isDear whether passwords may be hashed */
export function commands(isDear: boolean): fc.Arbitrary<Command> {
  return fc.oneof(
    of(2, fc.record({ do: fc.constantFrom('create collection', 'drop collection'), name: fc.constant('other') })),
    of(6, fc.record({ do: fc.constant('create'), name, fields })),
    of(1, fc.record({ do: fc.constant('create batch'), name, many: fc.array(fields, { minLength: 1, maxLength: 3 }) })),
    of(6, fc.record({ do: fc.constantFrom('patch', 'put'), document, fields, isGuarded: fc.boolean() })),
    of(4, fc.record({ do: fc.constantFrom('append', 'remove'), document, value: fc.constantFrom('a', 'b', 'c') })),
    of(4, fc.record({ do: fc.constantFrom('delete', 'get'), document })),
    of(
      1,
      fc.record({ do: fc.constant('delete batch'), documents: fc.array(document, { minLength: 1, maxLength: 3 }) }),
    ),
    of(
      5,
      fc.record({
        do: fc.constant('list'),
        name,
        least: fc.integer({ min: -1, max: 3 }),
        isSorted: fc.boolean(),
        offset: fc.nat(2),
      }),
    ),
    of(1, fc.record({ do: fc.constantFrom('upload', 'usage') })),
    of(isDear ? 1 : 0, fc.record({ do: fc.constant('sign up'), who: fc.nat(2) })),
  )
}

/** A document that was created, and the version that its creator has seen last. */
export interface Known {
  readonly id: string
  readonly name: string
  readonly version: number
}

export interface Client {
  readonly url: string
  readonly key: string
}

export const pageSize = 3
const nobody: Known = { id: '01900000-0000-7000-8000-000000000000', name: 'kept', version: 1 }

export function documentAt(known: readonly Known[], at: number): Known {
  return known[at % Math.max(1, known.length)] ?? nobody
}

export function perform({ url, key }: Client, command: Command, known: readonly Known[]): Promise<Answer> {
  const headers = { 'x-api-key': key, 'svc-dialect': 'a' }
  const json = (method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) =>
    send(url, {
      method,
      path,
      headers: { ...headers, ...more, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  const pathOf = ({ name, id }: Known) => `/collections/${name}/${id}`
  switch (command.do) {
    case 'create collection':
      return json('POST', '/collections', { name: command.name })
    case 'drop collection':
      return json('DELETE', `/collections/${command.name}`)
    case 'create':
      return json('POST', `/collections/${command.name}`, command.fields)
    case 'create batch':
      return json('POST', `/collections/${command.name}/batch`, { documents: command.many })
    case 'patch':
    case 'put': {
      const document = documentAt(known, command.document)
      const guard: Record<string, string> = command.isGuarded ? { 'if-match': `"${document.version}"` } : {}
      return json(command.do.toUpperCase(), pathOf(document), command.fields, guard)
    }
    case 'append':
    case 'remove':
      return json('PATCH', pathOf(documentAt(known, command.document)), { [`$${command.do}`]: { tags: command.value } })
    case 'delete':
    case 'get':
      return json(command.do.toUpperCase(), pathOf(documentAt(known, command.document)))
    case 'delete batch': {
      const documents = command.documents.map((at) => documentAt(known, at))
      const path = `/collections/${documents[0]?.name}/batch-delete`
      return json('POST', path, { document_ids: documents.map(({ id }) => id) })
    }
    case 'list': {
      const filter = command.least >= 0 ? `&n__gte=${command.least}` : ''
      const order = command.isSorted ? '&orderBy=n&order=asc' : ''
      return json('GET', `/collections/${command.name}?limit=${pageSize}&offset=${command.offset}${filter}${order}`)
    }
    case 'upload': {
      const form = formOf(fileOf('file', 'four'))
      return send(url, {
        method: 'POST',
        path: '/storage/upload',
        headers: { ...headers, ...form.headers },
        body: form.body,
      })
    }
    case 'usage':
      return json('GET', '/storage/info')
    case 'sign up':
      return json('POST', '/auth-collections/signup', {
        email: `u${command.who}@example.com`,
        password: 'Correct4Horse',
      })
  }
}
