/** The two ends of a pull or push: the emulator's ids and redaction on one side, the service's on the other. */
import type { Schema } from '../../client/protocol/model/collection.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import type { Path } from '../../client/protocol/model/path.js'
import { withDefaults } from '../../client/protocol/model/schema.js'
import type { Client } from '../base/service-command.js'
import { hashOf, type Ids, withIds } from './documents.js'
import type { Pair } from './pairs.js'
import type { Sides } from './plan.js'
import { keepFields, redact, withoutFields } from './redaction.js'

/** The rules of a collection that both ends follow. */
interface Rules {
  readonly redacted: readonly Path[]
  readonly schema: Schema
}

export interface Side {
  /** The side's key in a pair. */
  readonly name: 'local' | 'remote'
  readonly client: Client
  /** Whether it stores documents without fields. */
  readonly storesEmpty: boolean
  /** Replaces the side's ids with those of the service, in which both sides are compared. */
  shared(data: JsonObject): JsonObject
  /** Returns the fields of a new document on this side. */
  created(rules: Rules, shared: JsonObject): JsonObject
  /** Returns the fields of a document that this side has as `now`. */
  updated(rules: Rules, shared: JsonObject, now: JsonObject): JsonObject
}

/** The ids of documents that exist on both sides. */
export interface SharedIds {
  add(pairs: readonly Pair[]): void
}

/** @param ids ids of the service, by those of the emulator */
export function openSides(sides: Sides, ids: Ids): { readonly local: Side; readonly remote: Side; ids: SharedIds } {
  const toRemote = new Map(ids)
  const toLocal = new Map([...ids].map(([local, remote]) => [remote, local]))
  const secret = sides.key ?? sides.url
  const redacted = ({ redacted }: Rules, shared: JsonObject) => redact(withIds(shared, toLocal), redacted, secret)
  return {
    local: {
      name: 'local',
      client: sides.local,
      storesEmpty: true,
      shared: (data) => withIds(data, toRemote),
      created: redacted,
      updated: redacted,
    },
    remote: {
      name: 'remote',
      client: sides.remote,
      storesEmpty: sides.remoteIs.storesEmpty,
      shared: (data) => data,
      // Redacted fields have only substitutes in the emulator, so they must not overwrite the real values.
      created: ({ redacted }, shared) => withoutFields(shared, redacted),
      updated: ({ redacted }, shared, now) => keepFields(shared, now, redacted),
    },
    ids: {
      add(pairs) {
        for (const { local, remote } of pairs) {
          toRemote.set(local, remote)
          toLocal.set(remote, local)
        }
      },
    },
  }
}

/** Hashes a document so that equal documents of both sides have equal hashes. */
export function sharedHash(side: Side, { redacted }: Rules, data: JsonObject): string {
  return hashOf(side.shared(data), redacted)
}

/** Hashes a document as both sides have it after a write: the target adds the defaults of the schema. */
export function syncedHash(side: Side, { redacted, schema }: Rules, data: JsonObject): string {
  return hashOf(withDefaults(schema, side.shared(data)), redacted)
}
