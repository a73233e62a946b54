import type { ScopeAction } from '../access/key-scope.js'
import type { FieldRuleKind, PermissionKind } from '../collection.js'

/**
 * What exactly stood in the way of a request that was refused, for developers. It is kept with the
 * record of the request and is in no answer: some of it is more than the caller may know.
 */
export type Reason =
  /** 401: what was sent, or not sent, as key and token. */
  | { readonly kind: 'credentials'; readonly problem: CredentialsProblem }
  /** 401 and 403: the roles that a collection asks for, and those that the caller has. */
  | {
      readonly kind: 'permission'
      readonly collection: string
      readonly permission: PermissionKind
      readonly wanted: readonly string[]
      readonly roles: readonly string[]
    }
  /** 401 and 403: a field that permissions hide or make read-only, the roles it is open to, and those that the caller has. */
  | {
      readonly kind: 'field'
      readonly collection: string
      readonly field: string
      readonly rule: FieldRuleKind
      readonly wanted: readonly string[]
      readonly roles: readonly string[]
    }
  /** 401 and 403: which kind of key or token the route takes. */
  | { readonly kind: 'caller'; readonly needs: 'key' | 'secret key' | 'user' }
  /** 403: what a scope of the key has to name, in a collection or the whole project, and the scopes that it has. */
  | {
      readonly kind: 'scope'
      readonly action: ScopeAction
      readonly collection: string | null
      readonly scopes: readonly string[]
    }
  /** 403: a setting of the project forbids it. */
  | { readonly kind: 'setting'; readonly setting: string; readonly value: string }
  /** 403: a page whose origin the project does not allow. */
  | {
      readonly kind: 'origin'
      readonly origin: string
      readonly allowed: readonly string[]
      /** The name in it, where that is the machine's own. */
      readonly ownName?: string | undefined
    }
  /** 403: a name by which the service may not be called. */
  | { readonly kind: 'host'; readonly host: string }
  /** 404: what is not there. `collection` is where a document was looked for. */
  | {
      readonly kind: 'missing'
      readonly what: 'path' | 'collection' | 'document' | 'user' | 'file'
      readonly name: string
      readonly collection?: string
    }
  /** 409: what is unique, and taken. */
  | { readonly kind: 'taken'; readonly what: 'collection' | 'email'; readonly name: string }
  /** 409: a file that a document or a user owns. */
  | { readonly kind: 'in use'; readonly file: string }
  /** 412: the versions that `if-match` takes, and the one that there is. */
  | {
      readonly kind: 'version'
      readonly collection: string
      readonly document: string
      readonly expected: readonly number[]
      readonly actual: number
    }
  /** 413 and 422: which limit was passed. `actual` is missing where it was not counted to its end. */
  | {
      readonly kind: 'limit'
      readonly limit: LimitName
      readonly most: number
      readonly actual?: number
      /** The setting of the project that decides about the limit. */
      readonly setting?: string
    }
  /** 422: the fields that the schema of a collection refuses, and what it says of them. */
  | { readonly kind: 'schema'; readonly collection: string; readonly fields: readonly string[] }
  /** 429: which window of the rate limit is full, and when it ends. */
  | {
      readonly kind: 'rate limit'
      readonly window: string
      readonly limit: number
      readonly endsAt: string
      readonly setting: string
    }
  /** 429: too many failed attempts at a password or a code. */
  | { readonly kind: 'attempts'; readonly retryAfterSeconds: number }

export type CredentialsProblem =
  | 'none sent'
  | 'not a bearer'
  | 'unknown key'
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
