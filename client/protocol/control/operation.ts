/** What an operation of the control API takes and gives, and the types that follow from it. */
import { z } from 'zod'
import { isObject, type JsonObject } from '../model/json.js'
import { type Listed, limitWords } from '../model/limits.js'

export interface Operation {
  readonly summary: string
  /** The query of a GET or DELETE, the body of any other method; left out, there is none. */
  readonly request?: z.ZodType
  /** Whether the body is a form with files, whose texts are the request. The call takes it whole, as `form`. */
  readonly isForm?: true
  readonly reply: z.ZodType
  /** Whether it goes on: the reply is each of the messages that come, as server-sent events. */
  readonly isStream?: true
  /** Left out, 200. */
  readonly status?: 201
  /** Whether it needs no control token. */
  readonly isOpen?: true
}

/** An operation for each path of a tree of paths, and no others. */
export type OperationsOf<Paths> = {
  readonly [Name in keyof Paths]: Paths[Name] extends string ? Operation : OperationsOf<Paths[Name]>
}

/** The names after the colons of a path. */
export type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** What a caller hands to an operation beside the names in its path. */
export type RequestOf<Shape> = Shape extends { readonly isForm: true }
  ? { readonly form: FormData }
  : Shape extends { readonly request: z.ZodType }
    ? ReadOnly<z.input<Shape['request']>>
    : unknown

/** What the service reads from that: what was left out has its default. */
export type ReadRequestOf<Shape> = Shape extends { readonly request: z.ZodType }
  ? z.output<Shape['request']>
  : undefined

export type ReplyOf<Shape> = Shape extends { readonly reply: z.ZodType } ? z.output<Shape['reply']> : never

/** A value whose arrays may be read-only; `Open` may stand in the place of an object of any fields. */
export type ReadOnly<Value, Open = never> = Value extends readonly (infer Item)[]
  ? readonly ReadOnly<Item, Open>[]
  : Value extends object
    ? string extends keyof Value
      ? Value | Open
      : { readonly [Name in keyof Value]: ReadOnly<Value[Name], Open> }
    : Value

/** An object of any fields, `__proto__` among them, which zod's own objects would drop. */
export const anyFields = z.custom<JsonObject>(isObject, 'expected an object').meta({ type: 'object' })

/** A number of a query that says how many, or which one: none is less than zero. */
export const counted = z.int().min(0)

/** The `limit` of a list; more than it allows is cut to that. */
export const limited = (listed: Listed) => counted.optional().describe(`The ${limitWords(listed)}.`)

/** What was removed, by its id. */
export const removed = z.strictObject({ id: z.string() })
