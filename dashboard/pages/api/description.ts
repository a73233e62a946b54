/** Reads the operations of `/openapi.json`. Merges the paths of an operation into one entry. */

import type { Json } from '../../../client/protocol/model/json.js'
import { grouped } from '../../parts/grouped.js'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly Json[]
  readonly const?: Json
  readonly default?: Json
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly [constraint: string]: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

export interface Body {
  readonly type: string
  readonly schema: Schema
}

export interface Answer {
  readonly status: string
  readonly description: string
  readonly schema: Schema | undefined
}

export interface Operation {
  readonly id: string
  readonly group: string
  readonly method: string
  /** Preferred path first. */
  readonly paths: readonly string[]
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly bodies: readonly Body[]
  readonly answers: readonly Answer[]
  /** Names of security schemes. Any one of them suffices. */
  readonly security: readonly string[]
}

export interface Description {
  readonly operations: readonly Operation[]
  readonly resolveSchema: (schema: Schema) => Schema
}

interface RawAnswer {
  readonly $ref?: string
  readonly description?: string
  readonly content?: { readonly [type: string]: { readonly schema?: Schema } }
}

interface RawOperation {
  readonly operationId: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly security?: readonly { readonly [name: string]: unknown }[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: { readonly [type: string]: { readonly schema?: Schema } } }
  readonly responses?: { readonly [status: string]: RawAnswer }
}

interface RawDescription {
  readonly paths: { readonly [path: string]: { readonly [method: string]: RawOperation } }
}

export function readDescription(raw: RawDescription): Description {
  const resolve = <Value extends { readonly $ref?: string }>(value: Value) => resolveReference(raw, value)
  const found = new Map<string, Operation>()
  for (const [path, methods] of Object.entries(raw.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      // The same operation at another path has the same id with a number.
      const id = operation.operationId.replace(/\.\d+$/, '')
      const known = found.get(id)
      const isFirst = id === operation.operationId
      if (known && !isFirst) found.set(id, { ...known, paths: [...known.paths, path] })
      else {
        const described = readOperation(id, method.toUpperCase(), path, operation, resolve)
        found.set(id, { ...described, paths: [path, ...(known?.paths ?? [])] })
      }
    }
  }
  return { operations: [...found.values()], resolveSchema: resolve }
}

function readOperation(
  id: string,
  method: string,
  path: string,
  { summary = '', tags, security, parameters, requestBody, responses }: RawOperation,
  resolve: (answer: RawAnswer) => RawAnswer,
): Operation {
  return {
    ...{ id, method, summary },
    group: tags?.[0] ?? path.split('/').find((part) => part !== '') ?? 'other',
    paths: [path],
    // Show the dialect last, because every operation has it.
    parameters: (parameters ?? []).toSorted((one, other) => lateness(one) - lateness(other)),
    bodies: Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => ({ type, schema: schema ?? {} })),
    answers: Object.entries(responses ?? {}).map(([status, answer]) => {
      const { description = '', content } = resolve(answer)
      return { status, description, schema: Object.values(content ?? {})[0]?.schema }
    }),
    security: (security ?? []).flatMap((each) => Object.keys(each)),
  }
}

function lateness({ name }: Parameter): number {
  return name === 'svc-dialect' ? 1 : 0
}

/** Bounds chains of references. */
const maxHops = 8

function resolveReference<Value extends { readonly $ref?: string }>(raw: object, value: Value): Value {
  let at: Value = value
  for (let hop = 0; at.$ref !== undefined && hop < maxHops; hop++) {
    let found: unknown = raw
    for (const part of at.$ref.replace(/^#\//, '').split('/')) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      found = typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined
    }
    if (typeof found !== 'object' || found === null) return at
    at = found as Value
  }
  return at
}

/** Groups operations in the order of the description. */
export function groupOperations(operations: readonly Operation[]): (readonly [group: string, readonly Operation[]])[] {
  return [...grouped(operations, ({ group }) => group)]
}

/** Turns `twoFactor` into `Two factor`. */
export function formatGroup(group: string): string {
  const words = group.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
