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

/** Spec, "Collection": what documents must look like. Fields it does not name are free. */
export type Schema = { readonly [field: string]: FieldRule }

/** Names that would shadow a path. */
export const reservedNames: readonly string[] = ['documents', 'batch']

export const permissionKinds = ['create', 'read', 'update', 'delete'] as const
export type PermissionKind = (typeof permissionKinds)[number]

/** In the place of a role: the user who created the document by a user token. What is being created has no owner yet. */
export const ownerWord = 'owner'

/** What permissions on fields withhold: `hidden` to read them, `readonly` to set and change them. */
export const fieldRuleKinds = ['hidden', 'readonly'] as const
export type FieldRuleKind = (typeof fieldRuleKinds)[number]

/** Fields by their dotted paths, each with the roles that it is open to beside the secret key. */
export type FieldRoles = { readonly [path: string]: readonly string[] }

/** Roles that may do each thing; absent or empty is open to any key or user. Contract 5.3. And fields that are open to some only. */
export type Permissions = { readonly [Kind in PermissionKind]?: readonly string[] } & {
  readonly [Kind in FieldRuleKind]?: FieldRoles
}

export interface Collection {
  readonly id: string
  readonly name: string
  readonly schema: Schema
  /** Shown to callers who may read the collection. Contract 5.3. */
  readonly permissions?: Permissions
  readonly createdAt: string
  readonly updatedAt: string
}

/** A collection with its exact number of documents, for callers who may read them. */
export interface CountedCollection extends Collection {
  readonly documentCount?: number
}

/** A collection as it is kept. */
export interface StoredCollection extends Collection {
  readonly permissions: Permissions
}
