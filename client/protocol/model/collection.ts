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
  'any',
] as const
export type FieldType = (typeof fieldTypes)[number]

export interface FieldRule {
  readonly type: FieldType
  readonly required?: boolean
  readonly default?: Json
}

/** Rules for the fields of documents. Fields without a rule are free. Spec, "Collection". */
export type Schema = { readonly [field: string]: FieldRule }

/** Collection names that would shadow a path. */
export const reservedNames: readonly string[] = ['documents', 'batch']

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
