/** Request and reply of an operation of the control API, and the derived types. */
import { z } from 'zod'
import { isObject, type JsonObject } from '../model/json.js'
import { type Listed, limitWords } from '../model/limits.js'

export interface Operation {
  readonly summary: string
  /** Query of a GET or DELETE; body of any other method. */
  readonly request?: z.ZodType
  /** True if the body is a form with files, whose text parts are the request. Calls pass it as `form`. */
  readonly isForm?: true
  readonly reply: z.ZodType
  /** True if it streams server-sent events. The reply then describes one message. */
  readonly isStream?: true
  /** Default 200. */
  readonly status?: 201
  /** True if it works without a control token. */
  readonly isOpen?: true
}

/** Requires exactly one operation for each path of a tree. */
export type OperationsOf<Paths> = {
  readonly [Name in keyof Paths]: Paths[Name] extends string ? Operation : OperationsOf<Paths[Name]>
}

/** Names of the parameters of a path. */
export type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** Input of a call, without path parameters. */
export type RequestOf<Shape> = Shape extends { readonly isForm: true }
  ? { readonly form: FormData }
  : Shape extends { readonly request: z.ZodType }
    ? ReadOnly<z.input<Shape['request']>>
    : unknown

/** Request after parsing, with defaults. */
export type ReadRequestOf<Shape> = Shape extends { readonly request: z.ZodType }
  ? z.output<Shape['request']>
  : undefined

export type ReplyOf<Shape> = Shape extends { readonly reply: z.ZodType } ? z.output<Shape['reply']> : never

/** Makes a type read-only. `Open` may replace objects with arbitrary fields. */
export type ReadOnly<Value, Open = never> = Value extends readonly (infer Item)[]
  ? readonly ReadOnly<Item, Open>[]
  : Value extends object
    ? string extends keyof Value
      ? Value | Open
      : { readonly [Name in keyof Value]: ReadOnly<Value[Name], Open> }
    : Value

/** An object with any fields, including `__proto__`, which zod objects would drop. */
export const anyFields = z.custom<JsonObject>(isObject, 'expected an object').meta({ type: 'object' })

/** A count or index in a query, from 0. */
export const counted = z.int().min(0)

/** The `limit` of a list. Higher values are reduced to the maximum. */
export const limited = (listed: Listed) => counted.optional().describe(`The ${limitWords(listed)}.`)

/** Reply with the id of the removed record. */
export const removed = z.strictObject({ id: z.string() })
