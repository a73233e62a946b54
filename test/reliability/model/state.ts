/** The service in memory: what is there, and what each command makes of it and answers. */
import type { Answer } from '../../fixtures/requests/http.js'
import { type Command, documentAt, type Fields, type Known, pageSize } from './commands.js'

export interface Stored {
  readonly id: string
  readonly fields: Fields
  readonly version: number
}

export interface State {
  /** The documents of each collection, by the time of their creation, as their ids are. */
  readonly collections: Readonly<Record<string, readonly Stored[]>>
  readonly users: readonly string[]
  readonly files: number
  /** Changes of documents in the collection that is never dropped. */
  readonly changes: number
}

export const initial: State = { collections: { kept: [] }, users: [], files: 0, changes: 0 }

/** The expected answer; `undefined` stands for values that only the service chooses. */
type Expected = { readonly status: number; readonly code?: string; readonly body?: unknown; readonly etag?: string }

interface Step {
  readonly state: State
  readonly expected: Expected
}

const missing: Expected = { status: 404, code: 'NOT_FOUND' }

export function step(state: State, command: Command, known: readonly Known[], answer: Answer): Step {
  switch (command.do) {
    case 'create collection':
      if (state.collections[command.name]) return { state, expected: { status: 409, code: 'COLLECTION_EXISTS' } }
      return { state: withCollection(state, command.name, []), expected: { status: 201 } }
    case 'drop collection': {
      const { [command.name]: gone, ...collections } = state.collections
      return gone ? { state: { ...state, collections }, expected: { status: 200 } } : { state, expected: missing }
    }
    case 'create':
      return create(state, command.name, [command.fields], [answer.body])
    case 'create batch':
      return create(state, command.name, command.many, answer.body)
    case 'patch':
      return change(state, documentAt(known, command.document), command, (before) => ({ ...before, ...command.fields }))
    case 'put':
      return change(state, documentAt(known, command.document), command, () => command.fields)
    case 'append':
      return change(state, documentAt(known, command.document), {}, (before) =>
        operated(before, (tags) => [...new Set([...tags, command.value])]),
      )
    case 'remove':
      return change(state, documentAt(known, command.document), {}, (before) =>
        operated(before, (tags) => tags.filter((tag) => tag !== command.value)),
      )
    case 'get': {
      const found = find(state, documentAt(known, command.document))
      return { state, expected: found ? { status: 200, body: shown(found), etag: `"${found.version}"` } : missing }
    }
    case 'delete':
      return remove(state, [documentAt(known, command.document)])
    case 'delete batch':
      return remove(
        state,
        command.documents.map((at) => documentAt(known, at)),
      )
    case 'list':
      return { state, expected: list(state, command) }
    case 'upload':
      return { state: { ...state, files: state.files + 1 }, expected: { status: 201 } }
    case 'usage':
      return { state, expected: { status: 200, body: { files: state.files, bytes: 4 * state.files } } }
    case 'sign up': {
      const email = `u${command.who}@example.com`
      if (state.users.includes(email)) return { state, expected: { status: 409, code: 'EMAIL_ALREADY_EXISTS' } }
      return { state: { ...state, users: [...state.users, email].sort() }, expected: { status: 201 } }
    }
  }
}

const shown = ({ id, fields }: Stored) => ({ id, data: fields })

function withCollection(state: State, name: string, documents: readonly Stored[], changes = 0): State {
  const count = name === 'kept' ? changes : 0
  return { ...state, collections: { ...state.collections, [name]: documents }, changes: state.changes + count }
}

function find({ collections }: State, { name, id }: Known): Stored | undefined {
  return collections[name]?.find((one) => one.id === id)
}

/** Ids are the service's to choose: they are taken from what it answered. */
function create(state: State, name: string, many: readonly Fields[], answered: unknown): Step {
  const before = state.collections[name]
  if (!before) return { state, expected: missing }
  const ids = Array.isArray(answered) ? answered.map((one) => String(one?.id)) : []
  const fresh = many.map((fields, at) => ({ id: ids[at] ?? '', fields, version: 1 }))
  const documents = [...before, ...fresh].sort(byId)
  const body = many.length === ids.length ? fresh.map(shown) : 'as many as were sent'
  return { state: withCollection(state, name, documents, many.length), expected: { status: 201, body } }
}

function change(
  state: State,
  known: Known,
  { isGuarded = false }: { readonly isGuarded?: boolean },
  edit: (before: Fields) => Fields | undefined,
): Step {
  const found = find(state, known)
  if (!found) return { state, expected: missing }
  if (isGuarded && found.version !== known.version) return { state, expected: { status: 412, code: 'CONFLICT' } }
  const fields = edit(found.fields)
  if (!fields) return { state, expected: { status: 422, code: 'VALIDATION_ERROR' } }
  const after = { ...found, fields, version: found.version + 1 }
  const documents = (state.collections[known.name] ?? []).map((one) => (one === found ? after : one))
  const expected = { status: 200, body: shown(after), etag: `"${after.version}"` }
  return { state: withCollection(state, known.name, documents, 1), expected }
}

/** A field that is missing or null is an empty array; any other that is none is refused. Contract 3.3. */
function operated(before: Fields, edit: (tags: readonly unknown[]) => unknown[]): Fields | undefined {
  const tags = before.tags ?? []
  return Array.isArray(tags) ? { ...before, tags: edit(tags) } : undefined
}

function remove(state: State, all: readonly Known[]): Step {
  const name = all[0]?.name ?? ''
  const ids = [...new Set(all.map(({ id }) => id))]
  const before = state.collections[name]
  if (!before || ids.some((id) => !before.some((one) => one.id === id))) return { state, expected: missing }
  const documents = before.filter(({ id }) => !ids.includes(id))
  return { state: withCollection(state, name, documents, ids.length), expected: { status: 200 } }
}

function list(state: State, { name, least, isSorted, offset }: Extract<Command, { do: 'list' }>): Expected {
  const documents = state.collections[name]
  if (!documents) return missing
  const numberOf = ({ fields: { n } }: Stored) => (typeof n === 'number' ? n : undefined)
  const found = documents.filter((one) => least < 0 || (numberOf(one) ?? -1) >= least)
  // Contract 4.1: the newest first, or by the field and then by id; what lacks it is last.
  const ordered = isSorted
    ? found.toSorted((one, other) => (numberOf(one) ?? 9) - (numberOf(other) ?? 9) || byId(one, other))
    : found.toReversed()
  const page = { documents: ordered.slice(offset, offset + pageSize).map(shown), total: found.length }
  return { status: 200, body: page }
}

function byId(one: Stored, other: Stored): number {
  return one.id < other.id ? -1 : 1
}

/** Compares the parts of an answer that the model predicts. */
export function fits({ status, code, body, etag }: Expected, answer: Answer): boolean {
  if (answer.status !== status) return false
  if (code !== undefined) return answer.headers['svc-error-code'] === code
  if (etag !== undefined && answer.headers.etag !== etag) return false
  return body === undefined || covers(answer.body, Array.isArray(body) && !Array.isArray(answer.body) ? body[0] : body)
}

/** Whether a value contains all of another; `data` has to be equal. */
function covers(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && value.length === wanted.length && wanted.every((one, at) => covers(value[at], one))
  }
  if (typeof wanted !== 'object' || wanted === null) return Object.is(value, wanted)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(wanted).every(([key, one]) => {
    const own = (value as Fields)[key]
    return key === 'data' ? sorted(own) === sorted(one) : covers(own, one)
  })
}

function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  return JSON.stringify(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
