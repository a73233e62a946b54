/** Types of filters, sorting and linked documents, derived from a schema. */
import type { Document, Fields } from './protocol/model/document.js'
import type { Sort } from './protocol/model/page.js'
import type { AppUser } from './protocol/model/user.js'
import type { Where } from './protocol/model/where.js'

/** Maps collections to their documents: `{ posts: Post; authors: Author }`. */
export type AnySchema<Schema> = { readonly [Collection in keyof Schema]: object }

declare const linkedTo: unique symbol

/**
 * A field with the id of a document in another collection. `populate` replaces the id by the document. `Link<'users'>` holds
 * the id of a user, unless the schema has a collection named `users`.
 */
export type Link<Collection extends string> = string & { readonly [linkedTo]?: Collection }

declare const holds: unique symbol

/** A date or a point in time as text. Writes also accept a `Date`. */
export type DateTime = string & { readonly [holds]?: 'time' }

/** URL of a stored file. Writes of one document also accept the file itself. */
export type FileUrl = string & { readonly [holds]?: 'file' }

declare const filled: unique symbol

/**
 * Names the fields that have a default. New documents may leave them out, and documents that you read have them.
 *
 * @example
 * interface Card extends Defaults<'state'> {
 *   title: string
 *   state: 'open' | 'done'
 * }
 */
export interface Defaults<Name extends string> {
  readonly [filled]?: Name
}

type Filled<Data> = typeof filled extends keyof Data ? Extract<Data[typeof filled], keyof Data> : never

/** Data of a new document. */
export type NewFields<Data> = string extends keyof Data
  ? Data
  : [Filled<Data>] extends [never]
    ? Data
    : Omit<Data, Filled<Data>> & { [Name in Filled<Data>]?: Data[Name] }

/** True if a field is declared as a {@link DateTime} or a {@link FileUrl}. */
export type Holds<Value, Kind extends string> = Value extends { readonly [holds]?: infer Held }
  ? Exclude<Held, undefined> extends Kind
    ? true
    : false
  : false

/** Data as writes accept it: with a `Date` for each {@link DateTime}, at any depth. */
export type Writable<Data> = string extends keyof Data
  ? { readonly [Name in keyof Data]: Data[Name] | Date }
  : { readonly [Name in keyof Data]: Data[Name] | WithDates<Data[Name]> }

export type WithDates<Value> = Value extends string
  ? Holds<Value, 'time'> extends true
    ? Date
    : never
  : Value extends readonly (infer Item)[]
    ? readonly (Item | WithDates<Item>)[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Value[Name] | WithDates<Value[Name]> }
      : never

/** Field names, dotted if nested, up to three levels deep. */
export type FieldPath<Data, Depth extends 0[] = []> = string extends keyof Data
  ? string
  : Depth['length'] extends 3
    ? never
    : {
        [Name in keyof Data & string]:
          | Name
          | (NonNullable<Data[Name]> extends readonly unknown[] | string | number | boolean
              ? never
              : `${Name}.${FieldPath<NonNullable<Data[Name]>, [...Depth, 0]>}`)
      }[keyof Data & string]

/** The type of the field at a path. */
export type FieldAt<Data, Path extends string> = Path extends keyof Data
  ? NonNullable<Data[Path]>
  : Path extends `${infer Name}.${infer Rest}`
    ? Name extends keyof Data
      ? FieldAt<NonNullable<Data[Name]>, Rest>
      : unknown
    : Path extends keyof OwnFields
      ? OwnFields[Path]
      : unknown

/** Fields that the service sets on every document. You can filter and sort by them. */
export interface OwnFields {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
}

type Scalar = string | number | boolean | null | Date

interface AnyCondition<Value> {
  readonly eq?: Value
  readonly ne?: Value
  readonly in?: readonly Value[]
  readonly notin?: readonly Value[]
  /** Whether the field is missing or null. */
  readonly isnull?: boolean
  /** Whether the document has the field, even if it is null. */
  readonly exists?: boolean
}

interface OrderedCondition<Value> extends AnyCondition<Value> {
  readonly gt?: Value
  readonly gte?: Value
  readonly lt?: Value
  readonly lte?: Value
}

interface TextCondition<Value> extends OrderedCondition<Value> {
  /** Matches part of the text. Ignores case in dialects a and c; case-sensitive in b. */
  readonly contains?: string
  /** Matches part of the text and ignores case. */
  readonly icontains?: string
  readonly startswith?: string
  readonly endswith?: string
}

interface ListCondition<Item> extends AnyCondition<Item> {
  readonly contains?: string
  readonly icontains?: string
}

/** Any text may be a date, but a union of literals may not. */
type TextOrDate<Value extends string> = string extends Value ? Value | Date : Value

/**
 * A value, or operators that fit the type of the field. Keeps unions of literals together, so that `in` can list
 * several of them.
 */
export type Condition<Value> = [unknown] extends [Value]
  ? OpenCondition
  : [Value] extends [never]
    ? OpenCondition
    : TextsCondition<Extract<Value, string>> | OtherCondition<Exclude<Value, string>>

type OpenCondition = Scalar | TextCondition<Scalar>

type TextsCondition<Value extends string> = [Value] extends [never]
  ? never
  : TextOrDate<Value> | null | TextCondition<TextOrDate<Value>>

type OtherCondition<Value> = Value extends number
  ? number | null | OrderedCondition<number>
  : Value extends boolean
    ? boolean | null | AnyCondition<boolean>
    : Value extends readonly (infer Item)[]
      ? Item | null | ListCondition<Item>
      : OpenCondition

type Conditions<Data> = {
  readonly [Path in FieldPath<Data> | keyof OwnFields]?: Condition<FieldAt<Data, Path>>
}

/**
 * A filter: `{ status: 'published', views: { gte: 100 }, or: [{ featured: true }, …], not: { hidden: true } }`. All conditions
 * must hold, at least one of `or`, and all of `and`; `not` excludes what matches. Pass a ready `Where` to filter by fields named
 * like these words, or `all`.
 */
export type Filter<Data = Fields> = string extends keyof Data
  ? OpenFilter
  : Conditions<Data> & {
      readonly or?: readonly Filter<Data>[]
      readonly and?: readonly Filter<Data>[]
      readonly not?: Filter<Data>
    }

/** Filter of a collection without a schema. */
export interface OpenFilter {
  readonly or?: readonly OpenFilter[]
  readonly and?: readonly OpenFilter[]
  readonly not?: OpenFilter
  readonly [field: string]: Condition<unknown> | OpenFilter | readonly OpenFilter[] | undefined
}

export type WhereInput<Data> = Filter<Data> | Where

/** Fields you can sort a list by. */
export type SortField<Data> = FieldPath<Data> | keyof OwnFields

/** A field to sort by, with `-` in front for descending order. */
export type SortBy<Data> = SortField<Data> | `-${SortField<Data>}` | Sort

/** Fields you can select. Dotted for nested fields, and for fields of populated documents. */
export type SelectPath<Schema, Data, Path extends string> = FieldPath<WithLinked<Schema, Data, Path>> | keyof OwnFields

/** Data with the selected fields only. Links and lists keep their types, with the selected fields of their documents. */
export type Selected<Data, Name extends string> = [Name] extends [never]
  ? Data
  : string extends keyof Data
    ? Data
    : {
        [Field in keyof Data as Field extends Heads<Name> ? Field : never]: Field extends Name
          ? Data[Field]
          : SelectedField<Data[Field], Rests<Name, Field & string>>
      }

type SelectedField<Value, Rest extends string> =
  Value extends Document<infer Data>
    ? Document<Selected<Data, Rest>>
    : Value extends AppUser | string | number | boolean | null | undefined
      ? Value
      : Value extends readonly (infer Item)[]
        ? readonly SelectedField<Item, Rest>[]
        : Selected<Value, Rest>

/** Fields you can populate. Dotted for nested links, and for links in objects or arrays of objects. */
export type PopulatePath<Schema, Data, Depth extends 0[] = []> = [Data] extends [never]
  ? never
  : string extends keyof Data
    ? string
    : Depth['length'] extends 5
      ? never
      : {
          [Name in keyof Data & string]: LinkedData<Schema, NonNullable<Data[Name]>> extends infer WithLinked
            ? [WithLinked] extends [never]
              ? `${Name}.${PopulatePath<Schema, ObjectIn<Data[Name]>, [...Depth, 0]>}`
              : Name | `${Name}.${PopulatePath<Schema, WithLinked, [...Depth, 0]>}`
            : never
        }[keyof Data & string]

/** Data of a populated document. Ids without a document stay ids. */
export type Populated<Schema, Data, Path extends string> = [Path] extends [never]
  ? Data
  : string extends keyof Data
    ? Data
    : {
        [Name in keyof Data]: Name extends Heads<Path>
          ? PopulatedField<Schema, Data[Name], Rests<Path, Name>>
          : Data[Name]
      }

/** Data as a filter sees it: populated ids are replaced by the fields of the linked documents. */
export type WithLinked<Schema, Data, Path extends string> = [Path] extends [never]
  ? Data
  : string extends keyof Data
    ? Data
    : {
        [Name in keyof Data]: Name extends Heads<Path>
          ? LinkedData<Schema, NonNullable<Data[Name]>> extends infer Found
            ? [Found] extends [never]
              ? WithLinked<Schema, ObjectIn<Data[Name]>, Rests<Path, Name>>
              : WithLinked<Schema, Found, Rests<Path, Name>>
            : never
          : Data[Name]
      }

type Heads<Path extends string> = Path extends `${infer Head}.${string}` ? Head : Path
type Rests<Path extends string, Head extends string> = Path extends `${Head}.${infer Rest}` ? Rest : never

type PopulatedField<Schema, Value, Rest extends string> = Value extends readonly (infer Item)[]
  ? readonly PopulatedField<Schema, Item, Rest>[]
  : LinkedData<Schema, NonNullable<Value>> extends infer WithLinked
    ? [WithLinked] extends [never]
      ? Value extends ObjectIn<Value>
        ? Populated<Schema, Value, Rest>
        : Value
      :
          | (UserLink<Schema, NonNullable<Value>> extends true
              ? AppUser
              : Document<Populated<Schema, WithLinked, Rest>>)
          | Value
    : never

/** Object type of a field, also inside arrays. */
type ObjectIn<Value> = Value extends readonly (infer Item)[]
  ? ObjectIn<Item>
  : Value extends string | number | boolean | null | undefined | Date
    ? never
    : Value

type LinkedData<Schema, Value> = Value extends readonly (infer Item)[]
  ? LinkedData<Schema, Item>
  : Value extends { readonly [linkedTo]?: infer Name }
    ? Exclude<Name, undefined> extends keyof Schema
      ? Schema[Exclude<Name, undefined>]
      : UserLink<Schema, Value> extends true
        ? Fields
        : never
    : never

/** True if the field holds ids of users, whose fields are free-form. */
type UserLink<Schema, Value> = Value extends { readonly [linkedTo]?: infer Name }
  ? Exclude<Name, undefined> extends keyof Schema
    ? false
    : Exclude<Name, undefined> extends 'users'
      ? true
      : false
  : false
