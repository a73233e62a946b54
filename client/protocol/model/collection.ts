import type { Json } from './json.js'

export const fieldTypes = [
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
  'datetime',
  'file',
  'link',
  'any',
] as const
export type FieldType = (typeof fieldTypes)[number]

/** Formats of text. `markdown` is a hint for editors and is not checked. Contract 13.1. */
export const fieldFormats = ['email', 'url', 'date', 'markdown'] as const
export type FieldFormat = (typeof fieldFormats)[number]

/** Ways to treat documents that link to a deleted one. Contract 13.3. */
export const onDeleteActions = ['keep', 'unset', 'delete', 'refuse'] as const
export type OnDelete = (typeof onDeleteActions)[number]

/** Stands for the users of the project, instead of a collection, in `to` of a link. */
export const usersWord = 'users'

/** The rule for a value: a field, or the items of an array. Contract 13.1. */
export interface ValueRule {
  readonly type: FieldType
  readonly description?: string
  /** The allowed values. */
  readonly enum?: readonly Json[]
  /** Bounds of a number, inclusive. */
  readonly min?: number
  readonly max?: number
  /** Bounds of the length of text, in characters, or of an array, in items. Inclusive. */
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression without backtracking that the whole text must match. */
  readonly pattern?: string
  readonly format?: FieldFormat
  /** The fields of an object. */
  readonly fields?: Schema
  /** The items of an array. */
  readonly items?: ValueRule
  /** The collection that a link leads to, or `users`. Stored as the id of the collection, shown as its name. */
  readonly to?: string
  /** Whether the field holds an array of ids instead of one id. */
  readonly many?: boolean
  readonly onDelete?: OnDelete
}

/** The rule for a field. Spec, "Collection", and contract 13.1. */
export interface FieldRule extends ValueRule {
  readonly required?: boolean
  readonly default?: Json
  /** Whether no two documents of the collection may have the same value. Contract 13.2. */
  readonly unique?: boolean
}

/** Rules for the fields of documents. Fields without a rule are free. Spec, "Collection". */
export type Schema = { readonly [field: string]: FieldRule }

/** Returns the rule of a field, whatever its name. */
export function findRule(schema: Schema, name: string): FieldRule | undefined {
  return Object.hasOwn(schema, name) ? schema[name] : undefined
}

/** Collection names that would shadow a path. */
export const reservedNames: readonly string[] = ['documents', 'batch', 'file']

export const permissionKinds = ['create', 'read', 'update', 'delete'] as const
export type PermissionKind = (typeof permissionKinds)[number]

/** Stands for the user who created the document, instead of a role. New documents have no owner yet. */
export const ownerWord = 'owner'

/** Permissions on fields: `hidden` fields cannot be read, `readonly` fields cannot be set or changed. */
export const fieldRuleKinds = ['hidden', 'readonly'] as const
export type FieldRuleKind = (typeof fieldRuleKinds)[number]

/** Maps dotted paths of fields to the roles with access. The secret key always has access. */
export type FieldRoles = { readonly [path: string]: readonly string[] }

/** Roles per permission. Absent or empty means open to any key or user. Also restricts single fields. Contract 5.3. */
export type Permissions = { readonly [Kind in PermissionKind]?: readonly string[] } & {
  readonly [Kind in FieldRuleKind]?: FieldRoles
}

export interface Collection {
  readonly id: string
  readonly name: string
  readonly schema: Schema
  /** Groups of fields whose values no two documents share. Contract 13.1. */
  readonly unique?: readonly (readonly string[])[]
  /** The field shown for a document. Default: the first required string, else the id. Contract 13.1. */
  readonly title?: string
  /** Only for callers who can read the collection. Contract 5.3. */
  readonly permissions?: Permissions
  readonly createdAt: string
  readonly updatedAt: string
}

/** A collection with its exact number of documents, if the caller can read them. */
export interface CountedCollection extends Collection {
  readonly documentCount?: number
}

/** A collection in the database. */
export interface StoredCollection extends Collection {
  readonly permissions: Permissions
}
