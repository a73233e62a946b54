/** The form of a parity case. Cases are data, so that a file of the folder can add its own. */
import { type Json, objectOfMany } from '../../client/protocol/model/json.js'
import type { SocketKind } from './listen.js'

/** Views of the last answer that a case can compare, in addition to its outcome. */
export const looks = [
  'outcome',
  'status',
  'rows',
  'order',
  'count',
  'kind',
  'list',
  'record',
  'document',
  'fields',
  'error',
  'body',
  'event',
  'changes',
  'frame',
  'links',
  'session',
  'value',
] as const
export type Look = (typeof looks)[number]

/** Abilities of a service that the probe finds. */
export const capabilities = [
  'write',
  'collections',
  'batch',
  'put',
  'users',
  'quiet reads',
  'idempotency',
  'shared socket',
] as const
export type Capability = (typeof capabilities)[number]

/** Senders of a step. `owner` may set permissions, which takes the secret key at the emulator. `token` is a user without the key. */
export const senders = ['key', 'owner', 'user', 'nobody', 'stranger', 'token'] as const

/** Axes of cases that do not come with the toolkit. */
export const ownAxes = { app: 'app', folder: 'yours' } as const

/** Advice about records. */
export const sharedFields = 'Read only fields that both answers have, and read a time without a zone as UTC.'

export interface Step {
  readonly method: string
  /** May hold `{rows}`, `{many}`, `{fresh}`, `{email}`, `{user}`, and names of `bind`. So may the body. */
  readonly path: string
  readonly body?: Json
  /** Parts of a multipart body: a text, or a file of that name. */
  readonly form?: { readonly [part: string]: string | { readonly file: string; readonly text: string } }
  readonly headers?: { readonly [name: string]: string }
  readonly as?: (typeof senders)[number]
  /**
   * Saves the member of this name, or else the `id` of the answer. `token` also stands for `access_token`, `tag` for the
   * `etag`, `file` for the path of the file in the field `letter`.
   */
  readonly bind?: string
}

export interface ParityCase {
  /** For example `filters.double-gte`. */
  readonly id: string
  /** The axis that decides the answer, or the subject if no axis does. */
  readonly axis: string
  readonly needs?: readonly Capability[]
  readonly steps: readonly Step[]
  readonly compare: readonly Look[]
  /** Subscribes to this collection after the first step, and compares the events. */
  readonly listen?: string
  /** Socket of the subscription. Every dialect has one for each collection. */
  readonly socket?: SocketKind
  /** Filters of the subscription. */
  readonly watched?: { readonly [field: string]: string }
  /** Says what to change in the app if no setting makes both sides agree. */
  readonly change?: string
}

/** Fixtures that a case uses, found by its placeholders. */
export function usedIn(one: ParityCase): { readonly rows: boolean; readonly many: boolean; readonly user: boolean } {
  const text = JSON.stringify(one.steps)
  return {
    rows: text.includes('{rows}'),
    many: text.includes('{many}'),
    // A case that saves the token of its own sign-up needs no shared user.
    user: text.includes('{user}') || (/"as":"(user|token)"/.test(text) && !text.includes('"bind":"token"')),
  }
}

/** Returns whether the case changes something at the service, fixtures included. */
export function isWriting(one: ParityCase): boolean {
  const { rows, many, user } = usedIn(one)
  return rows || many || user || one.listen !== undefined || one.steps.some(({ method }) => method !== 'GET')
}

/** Replaces `{name}`. Other braces stay. */
export function fill(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\{([a-z]\w*)\}/gi, (whole, name) => values.get(name) ?? whole)
}

/** Replaces `{name}` in all texts of a value, in the names of its members too. */
export function fillJson(value: Json, values: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return fill(value, values)
  if (Array.isArray(value)) return value.map((item) => fillJson(item, values))
  if (value === null || typeof value !== 'object') return value
  return objectOfMany(Object.entries(value).map(([name, inner]) => [fill(name, values), fillJson(inner, values)]))
}
