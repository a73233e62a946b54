/** What is the same, and what is not, of a collection that was read on both sides. */
import type { Collection, Schema } from '../../client/protocol/model/collection.js'
import { canonicalJson, type Json } from '../../client/protocol/model/json.js'
import type { Path } from '../../client/protocol/model/path.js'
import type { Pair, Pairs } from './pairs.js'

/** A pair, and what its documents are now; each also with the defaults of the schema, where it lacks one. */
export interface ComparedPair extends Pair {
  readonly localHash?: string | undefined
  readonly remoteHash?: string | undefined
  readonly localWhole?: string | undefined
  readonly remoteWhole?: string | undefined
}

/** One collection on both sides; documents that only the emulator has by its ids, all others by those of the service. */
export interface CollectionPlan {
  readonly name: string
  readonly local: Collection | undefined
  readonly remote: Collection | undefined
  /** Left out until both have the collection. */
  readonly pairs: Pairs | undefined
  /** Dotted names of fields that are substitutes in the documents here, wherever they were pulled from. */
  readonly substitutes: ReadonlySet<string>
  readonly redacted: readonly Path[]
  /** Of both; where they differ, the service's. A document that lacks a field with a default is the same as one that has it. */
  readonly schema: Schema
  readonly isSchemaSame: boolean
  /** Whether it was pulled or pushed, and the service does not show it any more. */
  readonly isGone: boolean
  readonly same: readonly ComparedPair[]
  readonly onlyHere: readonly string[]
  readonly onlyThere: readonly string[]
  readonly changedHere: readonly ComparedPair[]
  readonly changedThere: readonly ComparedPair[]
  /** Changed on both sides since the last pull or push, or never compared; also deleted on one and changed on the other. */
  readonly conflicts: readonly ComparedPair[]
  readonly deletedHere: readonly ComparedPair[]
  readonly deletedThere: readonly ComparedPair[]
  /** By the id of a document of the emulator, ids in it that lead nowhere on one of the sides, or to nothing that was pulled or pushed. */
  readonly references: Read['references']
}

export interface Opened {
  readonly name: string
  readonly local: Collection | undefined
  readonly remote: Collection | undefined
  readonly pairs: Pairs | undefined
  /** Of one that the service does not show, with those that it was pulled from or pushed to. */
  readonly former: readonly Pairs[]
  readonly substitutes: ReadonlySet<string>
  readonly redacted: readonly Path[]
  readonly schema: Schema
}

/** The documents of one side, in the order of their ids. */
export interface Read {
  readonly hashes: Map<string, string>
  /** Of those that lack a field with a default: with all defaults. */
  readonly wholes: Map<string, string>
  /** By the value of the field that identifies a document, its id. */
  readonly byKey: ReadonlyMap<string, string>
  readonly references: ReadonlyMap<string, readonly string[]>
  /** Of the fields that are redacted, those that one of the documents has. */
  readonly seen: ReadonlySet<Path>
}

interface Compared {
  readonly here: Read
  readonly there: Read
  readonly pairs: ReadonlyMap<string, Pair>
}

/** Sorts the documents of a collection by what has become of them on both sides. */
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
  // One of which a document was created again is over.
  const left = [...pairs.values()].filter((pair) => !foundHere.has(pair.local) && !foundThere.has(pair.remote))
  for (const pair of [...left, ...found]) {
    const compared = {
      ...pair,
      ...{ localHash: here.hashes.get(pair.local), localWhole: wholeOf(here, pair.local) },
      ...{ remoteHash: there.hashes.get(pair.remote), remoteWhole: wholeOf(there, pair.remote) },
    }
    const kind = kindOf(compared)
    if (kind === undefined) continue
    pairedHere.add(pair.local)
    pairedThere.add(pair.remote)
    kinds[kind].push(compared)
  }
  return {
    ...{ name, local, remote, pairs: one.pairs, substitutes, redacted, schema, isGone: one.former.length > 0 },
    isSchemaSame: !local || !remote || canonicalJson(jsonOf(local.schema)) === canonicalJson(jsonOf(remote.schema)),
    ...kinds,
    onlyHere: [...here.hashes.keys()].filter((id) => !pairedHere.has(id)),
    onlyThere: [...there.hashes.keys()].filter((id) => !pairedThere.has(id)),
    references: here.references,
  }
}

/** Pairs of documents that a run created and was killed before it knew: they are the same, and no others have them. */
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

function wholeOf({ hashes, wholes }: Read, id: string): string | undefined {
  return wholes.get(id) ?? hashes.get(id)
}

/**
 * Nothing where both documents are gone. One that was written by a pull or a push got the defaults of the schema that its source
 * lacks, so each side is as it was either with them or without.
 */
function kindOf({ hash, localHash, localWhole, remoteHash, remoteWhole }: ComparedPair) {
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

function jsonOf(value: object): Json {
  return JSON.parse(JSON.stringify(value))
}
