import type { ScopeAction } from '../access/key-scope.js'
import type { FieldRuleKind, PermissionKind } from '../collection.js'

/**
 * Explains to developers why a request was refused. Stored with the record of the request and never sent in a response,
 * because it may reveal more than the caller is allowed to know.
 */
export type Reason =
  /** 401: problem with the key or token. */
  | { readonly kind: 'credentials'; readonly problem: CredentialsProblem }
  /** 401 and 403: roles that the collection requires, and roles of the caller. */
  | {
      readonly kind: 'permission'
      readonly collection: string
      readonly permission: PermissionKind
      readonly wanted: readonly string[]
      readonly roles: readonly string[]
    }
  /** 401 and 403: hidden or read-only field, roles with access, and roles of the caller. */
  | {
      readonly kind: 'field'
      readonly collection: string
      readonly field: string
      readonly rule: FieldRuleKind
      readonly wanted: readonly string[]
      readonly roles: readonly string[]
    }
  /** 401 and 403: kind of key or token that the route requires. */
  | { readonly kind: 'caller'; readonly needs: 'key' | 'secret key' | 'user' }
  /** 403: scope that the key needs, for a collection or the whole project, and its scopes. */
  | {
      readonly kind: 'scope'
      readonly action: ScopeAction
      readonly collection: string | null
      readonly scopes: readonly string[]
    }
  /** 403: forbidden by a project setting. */
  | { readonly kind: 'setting'; readonly setting: string; readonly value: string }
  /** 403: origin of a page that the project does not allow. */
  | {
      readonly kind: 'origin'
      readonly origin: string
      readonly allowed: readonly string[]
      /** The name in it, where that is the machine's own. */
      readonly ownName?: string | undefined
    }
  /** 403: host name that the service does not allow. */
  | { readonly kind: 'host'; readonly host: string }
  /** 404: missing resource. `collection` is set for documents. */
  | {
      readonly kind: 'missing'
      readonly what: 'path' | 'collection' | 'document' | 'user' | 'file'
      readonly name: string
      readonly collection?: string
    }
  /** 409: unique name that is already taken. */
  | { readonly kind: 'taken'; readonly what: 'collection' | 'email'; readonly name: string }
  /** 409: fields whose values another document has already. */
  | {
      readonly kind: 'duplicate'
      readonly collection: string
      readonly fields: readonly string[]
      /** Stored documents that a new rule does not allow. */
      readonly documents?: readonly string[]
    }
  /** 409: file that belongs to a document or a user. */
  | { readonly kind: 'in use'; readonly file: string }
  /** 412: versions in `if-match`, and the current version. */
  | {
      readonly kind: 'version'
      readonly collection: string
      readonly document: string
      readonly expected: readonly number[]
      readonly actual: number
    }
  /** 413 and 422: exceeded limit. `actual` is missing if counting stopped early. */
  | {
      readonly kind: 'limit'
      readonly limit: LimitName
      readonly most: number
      readonly actual?: number
      /** Project setting that determines the limit. */
      readonly setting?: string
    }
  /** 422: fields that do not match the schema of the collection. */
  | { readonly kind: 'schema'; readonly collection: string; readonly fields: readonly string[] }
  /** 429: window of the rate limit that is full, and when it ends. */
  | {
      readonly kind: 'rate limit'
      readonly window: string
      readonly limit: number
      readonly endsAt: string
      readonly setting: string
    }
  /** 429: too many failed attempts with a password or a code. */
  | { readonly kind: 'attempts'; readonly retryAfterSeconds: number }

export type CredentialsProblem =
  | 'none sent'
  | 'not a bearer'
  | 'unknown key'
  | 'unknown bearer'
  | 'expired key'
  | 'malformed token'
  | 'ended session'
  | 'wrong signature or expired'
  | 'two projects'
  | 'unknown ticket'
  | 'unknown email'
  | 'no password'
  | 'of a provider'
  | 'wrong password'
  | 'wrong code'
  | 'unknown mail token'

export type LimitName =
  | 'body bytes'
  | 'body values'
  | 'batch items'
  | 'document bytes'
  | 'document depth'
  | 'document keys'
  | 'document values'
  | 'file bytes'
  | 'files in a form'
  | 'storage bytes'
  | 'answer bytes'
  | 'populated records'
  | 'looked up ids'
  | 'schema fields'
  | 'schema bytes'
  | 'collection bytes'
  | 'populated values'
  | 'linked records'
  | 'dependent records'
  | 'dependent bytes'
  | 'dependent lookups'
