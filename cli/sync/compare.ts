/** Compares a collection that was read on both sides. */
import type { Collection, Schema } from '../../client/protocol/model/collection.js'
import { canonicalJson } from '../../client/protocol/model/json.js'
import type { Path } from '../../client/protocol/model/path.js'
import type { Pair, Pairs } from './pairs.js'

/** A pair with the current hashes of its documents. The `Whole` hashes include the schema's defaults. */
export interface ComparedPair extends Pair {
  readonly localHash?: string | undefined
  readonly remoteHash?: string | undefined
  readonly localWhole?: string | undefined
  readonly remoteWhole?: string | undefined
}

/** One collection on both sides. Documents that only the emulator has carry its ids, all others those of the service. */
export interface CollectionPlan {
  readonly name: string
  readonly local: Collection | undefined
  readonly remote: Collection | undefined
  /** Undefined until both sides have the collection. */
  readonly pairs: Pairs | undefined
  /** Dotted names of fields that hold substitutes in the emulator, wherever they were pulled from. */
  readonly substitutes: ReadonlySet<string>
  readonly redacted: readonly Path[]
  /** Both schemas merged; the service's wins. A missing field equals its default. */
  readonly schema: Schema
  readonly isSchemaSame: boolean
  /** Tells whether it was pulled or pushed before, and the service no longer shows it. */
  readonly isGone: boolean
  readonly same: readonly ComparedPair[]
  readonly onlyHere: readonly string[]
  readonly onlyThere: readonly string[]
  readonly changedHere: readonly ComparedPair[]
  readonly changedThere: readonly ComparedPair[]
  /** Changed on both sides since the last sync, never compared, or deleted on one side and changed on the other. */
  readonly conflicts: readonly ComparedPair[]
  readonly deletedHere: readonly ComparedPair[]
  readonly deletedThere: readonly ComparedPair[]
  /** Links in the emulator's documents, by document id, whose target one side lacks or never synced. */
  readonly references: Read['references']
}

export interface Opened {
  readonly name: string
  readonly local: Collection | undefined
  readonly remote: Collection | undefined
  readonly pairs: Pairs | undefined
  /** Pairs with collections that the service no longer shows. */
  readonly former: readonly Pairs[]
  readonly substitutes: ReadonlySet<string>
  readonly redacted: readonly Path[]
  readonly schema: Schema
}

/** The documents of one side, ordered by id. */
export interface Read {
  readonly hashes: Map<string, string>
  /** Hashes with all defaults, for documents that lack one. */
  readonly wholes: Map<string, string>
  /** Ids by the value of the identifying field. */
  readonly byKey: ReadonlyMap<string, string>
  readonly references: ReadonlyMap<string, readonly string[]>
  /** Redacted fields that at least one document has. */
  readonly seen: ReadonlySet<Path>
}

interface Compared {
  readonly here: Read
  readonly there: Read
  readonly pairs: ReadonlyMap<string, Pair>
}

/** Sorts documents by how they changed on both sides. */
export function compare(one: Opened, { here, there, pairs }: Compared): CollectionPlan {
  const { name, local, remote, substitutes, redacted, schema } = one
  const kinds: Record<
    'same' | 'changedHere' | 'changedThere' | 'conflicts' | 'deletedHere' | 'deletedThere',
    ComparedPair[]
  > = { same: [], changedHere: [], changedThere: [], conflicts: [], deletedHere: [], deletedThere: [] }
  const [pairedHere, pairedThere] = [new Set<string>(), new Set<string>()]
  const found = [...recovered(one, { here, there, pairs })]
  const foundHere = new Set(found.map(({ local }) => local))
  const foundThere = new Set(found.map(({ remote }) => remote))
  // A pair ends when one of its documents was created again.
  const left = [...pairs.values()].filter((pair) => !foundHere.has(pair.local) && !foundThere.has(pair.remote))
  for (const pair of [...left, ...found]) {
    const compared = {
      ...pair,
      ...{ localHash: here.hashes.get(pair.local), localWhole: wholeHash(here, pair.local) },
      ...{ remoteHash: there.hashes.get(pair.remote), remoteWhole: wholeHash(there, pair.remote) },
    }
    const kind = classify(compared)
    if (kind === undefined) continue
    pairedHere.add(pair.local)
    pairedThere.add(pair.remote)
    kinds[kind].push(compared)
  }
  return {
    ...{ name, local, remote, pairs: one.pairs, substitutes, redacted, schema, isGone: one.former.length > 0 },
    isSchemaSame: !local || !remote || readSettings(local) === readSettings(remote),
    ...kinds,
    onlyHere: [...here.hashes.keys()].filter((id) => !pairedHere.has(id)),
    onlyThere: [...there.hashes.keys()].filter((id) => !pairedThere.has(id)),
    references: here.references,
  }
}

/** Finds the documents that a killed run created without learning their ids: equal, and without another pair. */
function* recovered({ pairs: kept }: Opened, { here, there, pairs }: Compared): Generator<Pair> {
  if (!kept || kept.pending.size === 0) return
  const paired = new Set(
    [...pairs.values()].flatMap(({ local, remote }) =>
      here.hashes.has(local) && there.hashes.has(remote) ? [local, remote] : [],
    ),
  )
  const isFree = ([id]: readonly [string, string]) => !paired.has(id)
  const [mine, theirs] = [[...here.hashes].filter(isFree), [...there.hashes].filter(isFree)]
  const byHash = new Map<string, string[]>()
  for (const [id, hash] of mine) {
    const whole = here.wholes.get(id) ?? hash
    byHash.set(whole, [...(byHash.get(whole) ?? []), id])
  }
  for (const [remote, hash] of theirs) {
    const locals = byHash.get(there.wholes.get(remote) ?? hash) ?? []
    const at = locals.findIndex((local) => kept.pending.has(remote) || kept.pending.has(local))
    const [local] = at === -1 ? [] : locals.splice(at, 1)
    if (local !== undefined) yield { local, remote }
  }
}

function wholeHash({ hashes, wholes }: Read, id: string): string | undefined {
  return wholes.get(id) ?? hashes.get(id)
}

/**
 * Returns undefined if both documents are gone. A sync writes the defaults that its source lacks, so a document is unchanged if
 * its hash matches with or without them.
 */
function classify({ hash, localHash, localWhole, remoteHash, remoteWhole }: ComparedPair) {
  const isAsBefore = (...now: readonly (string | undefined)[]) => hash !== undefined && now.includes(hash)
  if (localHash === undefined) {
    if (remoteHash === undefined) return undefined
    return isAsBefore(remoteHash, remoteWhole) ? 'deletedHere' : 'conflicts'
  }
  if (remoteHash === undefined) return isAsBefore(localHash, localWhole) ? 'deletedThere' : 'conflicts'
  if (localWhole === remoteWhole) return 'same'
  if (isAsBefore(remoteHash, remoteWhole)) return 'changedHere'
  return isAsBefore(localHash, localWhole) ? 'changedThere' : 'conflicts'
}

function readSettings({ schema, unique = [], title = '' }: Collection): string {
  return canonicalJson(JSON.parse(JSON.stringify({ schema, unique, title })))
}
