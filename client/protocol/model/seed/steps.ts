/** What a seed consists of once it is read: steps, in the order in which they are applied. */
import type { Permissions, Schema } from '../collection.js'
import type { JsonObject } from '../json.js'

/**
 * What becomes of what is there: `fill` leaves it alone, and a collection that holds documents as it is; `upsert` brings it up
 * to date; `replace` removes it first.
 */
export const seedModes = ['fill', 'upsert', 'replace'] as const
export type SeedMode = (typeof seedModes)[number]

export type SeedStep = SeedFile | SeedUser | SeedCollection | SeedDocuments

/** A file, whose bytes come as a part of the same form. */
export interface SeedFile {
  readonly step: 'file'
  readonly name: string
  readonly part: string
  readonly path: string
  /** Whether it belongs to the record that refers to it, and is deleted with that. */
  readonly isOwned?: boolean | undefined
}

export interface SeedUser {
  readonly step: 'user'
  readonly name: string
  readonly email: string
  readonly password?: string | undefined
  /** What an export holds in place of a password: its bcrypt hash. */
  readonly passwordHash?: string | undefined
  readonly data?: JsonObject | undefined
  readonly roles?: readonly string[] | undefined
  readonly verified?: boolean | undefined
  /** The secret of the authenticator app; true draws one, false turns it off. */
  readonly twoFactor?: string | boolean | undefined
  readonly identity?: SeedIdentity | undefined
  /** Whether one who is there is left alone. */
  readonly isSame?: boolean | undefined
  /** Names of owned files that `data` refers to. */
  readonly files?: readonly string[] | undefined
}

/** Whom a provider knows as what: the next login there is this user's. */
export interface SeedIdentity {
  /** Its name, such as `google`, or the address that vouches for the subject. */
  readonly provider: string
  readonly subject: string
}

export interface SeedCollection {
  readonly step: 'collection'
  readonly name: string
  readonly schema?: Schema | undefined
  readonly permissions?: Permissions | undefined
  /** The field that identifies a document. */
  readonly key?: string | undefined
  /** Whether its values are read by their looks, as cells of CSV are: what is there may have the same text as another type. */
  readonly isKeyGuessed?: boolean | undefined
  /** Whether the reply names the ids of its documents. */
  readonly isAnswered?: boolean | undefined
}

/** Documents of the collection that the last step of that kind named. */
export interface SeedDocuments {
  readonly step: 'documents'
  readonly documents: readonly SeedDocument[]
}

export interface SeedDocument {
  readonly data: JsonObject
  /** What references call it; left out, none can. */
  readonly name?: string | undefined
  readonly hasReferences?: boolean | undefined
  /** Whether others refer to it: it is looked for, even where the collection is left alone. */
  readonly isReferred?: boolean | undefined
  /** Whether one that is there is left alone, and one that is not is not created. */
  readonly isSame?: boolean | undefined
  /** The id that an earlier seed gave it. */
  readonly id?: string | undefined
  readonly files?: readonly string[] | undefined
}

/** How many of something a seed has created, updated, and left as they were. */
export interface SeedCounts {
  readonly created: number
  readonly updated: number
  readonly kept: number
}
