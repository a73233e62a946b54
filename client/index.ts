/** Client of the service for apps, scripts and tests. Runs in Node 20 and later, browsers, Deno, Bun and workers. */
import { type Auth, openAuth } from './auth/auth.js'
import { openSession, type SessionOptions } from './auth/session.js'
import { openUsers, type Users } from './auth/users.js'
import { type CollectionClient, openCollection } from './collections/collection.js'
import { type Collections, openCollections } from './collections/collections.js'
import { type Files, openFiles } from './files/files.js'
import type { Fields } from './protocol/model/document.js'
import type { AnySchema } from './types.js'

export type { AccountUpdate } from './auth/account.js'
export type { Auth } from './auth/auth.js'
export { type SessionStore, type SignedIn, webStore } from './auth/auth-state.js'
export type { Enrolment } from './auth/two-factor.js'
export type { UserListOptions, Users } from './auth/users.js'
export type { CollectionClient, ListOptions, Selection } from './collections/collection.js'
export type { BatchOptions, CallOptions, CreateOptions, Update, WriteOptions } from './collections/collection-writes.js'
export type { CollectionInput } from './collections/collections.js'
export type { FileListOptions, Files, UploadOptions } from './files/files.js'
export type { WithFiles } from './files/forms.js'
export type {
  Collection,
  CountedCollection,
  FieldRoles,
  FieldRule,
  Permissions,
  Schema,
} from './protocol/model/collection.js'
export type { Document, Fields } from './protocol/model/document.js'
export { type ErrorCode, type Issue, SvcError } from './protocol/model/errors.js'
export type { StorageUsage, StoredFile } from './protocol/model/file.js'
export type { Json } from './protocol/model/json.js'
export type { Page, Sort } from './protocol/model/page.js'
export type { AppUser } from './protocol/model/user.js'
export type { Where } from './protocol/model/where.js'
export type { LoginResult } from './protocol/wire/records/decode.js'
export type { LiveList, LiveOptions, LiveStatus } from './realtime/live.js'
export type { DocumentChange, RealtimeStatus, SubscribeOptions, Subscription } from './realtime/subscription.js'
export type { RealtimeOptions, SocketConstructor, SocketLike } from './realtime/transport.js'
export type { Hooks, RetryOptions } from './send.js'
export type { DateTime, Defaults, FileUrl, Filter, Link, Writable } from './types.js'

export interface ClientOptions extends SessionOptions {
  /** A dialect as in the `svc-dialect` header, such as `a` or `b, document=flat`. `auto` detects it. Default `a`. */
  readonly dialect?: string
}

export interface Client<Schema extends AnySchema<Schema> = UntypedSchema, UserData extends object = Fields> {
  /** Sign-up, login, and the signed-in user. */
  readonly auth: Auth<UserData>
  readonly users: Users<UserData>
  readonly collections: Collections
  readonly files: Files
  /** Returns the calls of one collection, by name or id. */
  collection<Name extends keyof Schema & string>(name: Name): CollectionClient<Schema, Schema[Name]>
}

/** Schema of a client without types. */
export type UntypedSchema = { readonly [collection: string]: Fields }

/**
 * Creates a client. Sends nothing before the first call.
 *
 * @example
 * const svc = createClient<{ posts: { title: string; views?: number } }>({ url, apiKey })
 * const { items } = await svc.collection('posts').list({ where: { views: { gte: 100 } } })
 *
 * @throws {SvcError} `INVALID_DIALECT`
 */
export function createClient<Schema extends AnySchema<Schema> = UntypedSchema, UserData extends object = Fields>(
  options: ClientOptions,
): Client<Schema, UserData> {
  const session = openSession(options)
  return {
    auth: openAuth(session),
    users: openUsers(session),
    collections: openCollections(session),
    files: openFiles(session),
    collection: (name) => openCollection(session, name),
  }
}
