/** Steps of a parsed seed, in the order in which they are applied. */
import type { Permissions, Schema } from '../collection.js'
import type { JsonObject } from '../json.js'

/**
 * How a seed treats existing data: `fill` keeps it and skips collections with documents; `upsert` updates it; `replace`
 * deletes it first.
 */
export const seedModes = ['fill', 'upsert', 'replace'] as const
export type SeedMode = (typeof seedModes)[number]

export type SeedStep = SeedFile | SeedUser | SeedCollection | SeedDocuments

/** A file. Its bytes are a part of the same form. */
export interface SeedFile {
  readonly step: 'file'
  readonly name: string
  readonly part: string
  readonly path: string
  /** True if the file belongs to the record that refers to it, and is deleted with it. */
  readonly isOwned?: boolean | undefined
}

export interface SeedUser {
  readonly step: 'user'
  readonly name: string
  readonly email: string
  readonly password?: string | undefined
  /** Bcrypt hash that exports contain instead of a password. */
  readonly passwordHash?: string | undefined
  readonly data?: JsonObject | undefined
  readonly roles?: readonly string[] | undefined
  readonly verified?: boolean | undefined
  /** Secret of the authenticator app. True generates one, false turns two-factor login off. */
  readonly twoFactor?: string | boolean | undefined
  readonly identity?: SeedIdentity | undefined
  /** True if an existing user stays unchanged. */
  readonly isSame?: boolean | undefined
  /** Names of owned files that `data` refers to. */
  readonly files?: readonly string[] | undefined
}

/** Links a user to an account at an identity provider. */
export interface SeedIdentity {
  /** Name, such as `google`, or the URL of the issuer. */
  readonly provider: string
  readonly subject: string
}

export interface SeedCollection {
  readonly step: 'collection'
  readonly name: string
  readonly schema?: Schema | undefined
  readonly unique?: readonly (readonly string[])[] | undefined
  readonly title?: string | null | undefined
  readonly permissions?: Permissions | undefined
  /** Field that identifies a document. */
  readonly key?: string | undefined
  /** True if key values have guessed types, like cells of CSV. An existing value may then have another type. */
  readonly isKeyGuessed?: boolean | undefined
  /** True if the response includes the ids of its documents. */
  readonly isAnswered?: boolean | undefined
}

/** Documents of the collection in the preceding collection step. */
export interface SeedDocuments {
  readonly step: 'documents'
  readonly documents: readonly SeedDocument[]
}

export interface SeedDocument {
  readonly data: JsonObject
  /** Name for references. */
  readonly name?: string | undefined
  readonly hasReferences?: boolean | undefined
  /** True if others refer to it. It is then looked up even if the collection is skipped. */
  readonly isReferred?: boolean | undefined
  /** True if an existing document stays unchanged and a missing one is not created. */
  readonly isSame?: boolean | undefined
  /** Id that an earlier seed assigned. */
  readonly id?: string | undefined
  readonly files?: readonly string[] | undefined
}

/** Counts of created, updated and unchanged records. */
export interface SeedCounts {
  readonly created: number
  readonly updated: number
  readonly kept: number
}
