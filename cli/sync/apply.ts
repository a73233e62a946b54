/** Carries out what was planned, from the one side to the other. What is stopped in between goes on with the next plan. */
import type { Schema } from '../../client/protocol/model/collection.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import type { Path } from '../../client/protocol/model/path.js'
import type { Client } from '../base/service-command.js'
import type { Operation } from '../bulk/operations.js'
import { dataById, idsThere, notSaved } from '../bulk/read-back.js'
import { isAboutSome, wordsOf } from '../bulk/refusals.js'
import { sendOperations } from '../bulk/send-operations.js'
import { hashOf } from '../files/hash.js'
import { inPieces } from '../records/pieces.js'
import { count, counted } from '../terminal/print.js'
import type { ComparedPair } from './compare.js'
import { idsIn } from './documents.js'
import { operationOf, type Undo, undoOf } from './operations.js'
import type { Pair, Pairs } from './pairs.js'

/** The writes to one collection of one side. */
export interface SyncWork {
  readonly name: string
  readonly pairs: Pairs
  readonly redacted: readonly Path[]
  readonly schema: Schema
  /** Documents of the other side, by their ids there. */
  readonly create: readonly string[]
  readonly update: readonly ComparedPair[]
  readonly remove: readonly ComparedPair[]
}

export interface RefusedDocument {
  readonly collection: string
  /** On the side that it comes from; of a deletion, where it is. */
  readonly id: string
  readonly problem: string
}

export interface Synced {
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly refused: readonly RefusedDocument[]
}

/** A pull or a push: the same steps, with the sides exchanged. */
export interface Direction {
  readonly source: Client
  readonly target: Client
  /** Which of a pair is the source's, and which the target's. */
  idsOf(pair: Pair): { readonly source: string; readonly target: string }
  pairOf(source: string, target: string): Pair
  /** Receives pairs that were created, before anything else is written. */
  onPaired(pairs: readonly Pair[]): void
  /** What is written of a document: with ids of the target, and no value that a pull redacts. */
  written(work: SyncWork, data: JsonObject): JsonObject
  /** What a create writes of it: there is nothing at the target that a redacted field could stay as. */
  created(work: SyncWork, data: JsonObject): JsonObject
  /** What an update writes: what is redacted stays as the target has it. */
  kept(work: SyncWork, written: JsonObject, now: JsonObject): JsonObject
  /** The hash of both documents once this was written: with the defaults of the schema, which the target adds. */
  hashOf(work: SyncWork, source: JsonObject): string
  /** The hash of the target's document when it was planned, or created by this run. */
  planned(pair: ComparedPair): string | undefined
  targetHash(work: SyncWork, data: JsonObject): string
  /** Keeps how to take writes to different documents back: before something is changed or deleted, after it was created. */
  keepUndo(undo: readonly Undo[]): void
  onDone(documents: number): void
  readonly signal: AbortSignal
}

const atOnce = 500
/** One page of a list. */
const idsAtOnce = 99

/**
 * Creates first, then updates, links between what was created, and deletions. An abort is obeyed between two requests.
 *
 * @throws {CliFailure} `NOT_SAVED` where the target does not have what it acknowledged
 */
export async function applySync(works: readonly SyncWork[], direction: Direction): Promise<Synced> {
  const run = new Run(direction, new Set(works.flatMap(({ create }) => create)))
  for (const work of works) await run.createAll(work)
  for (const work of works) await run.updateAll(work, work.update)
  for (const work of works) await run.updateAll(work, run.unlinkedOf(work), { isLink: true })
  for (const work of works) await run.deleteAll(work)
  if (!direction.signal.aborted) await run.verify()
  return run.result()
}

class Run {
  private created = 0
  private updated = 0
  private deleted = 0
  private readonly refused: RefusedDocument[] = []
  private readonly unlinked = new Map<string, ComparedPair[]>()
  private readonly acknowledged = new Map<SyncWork, Acknowledged>()

  /** @param missing ids of the source that have no document of the target yet */
  constructor(
    private readonly direction: Direction,
    private readonly missing: Set<string>,
  ) {}

  result(): Synced {
    const { created, updated, deleted, refused } = this
    return { created, updated, deleted, refused }
  }

  private acknowledge(work: SyncWork, { created = [], deleted = [] }: Partial<Acknowledged>): void {
    const before = this.acknowledged.get(work) ?? { created: [], deleted: [] }
    this.acknowledged.set(work, {
      created: [...before.created, ...created],
      deleted: [...before.deleted, ...deleted],
    })
  }

  /** Looks up by their ids what was created and deleted. What is not there loses its pair, so that the next run creates it. */
  async verify(): Promise<void> {
    const { direction, acknowledged } = this
    const targetOf = (pair: Pair) => direction.idsOf(pair).target
    let answered = 0
    let undeleted = 0
    for (const [work, { created, deleted }] of acknowledged) {
      const collection = direction.target.collection(work.name)
      const there = await idsThere(collection, created.map(targetOf))
      work.pairs.remove(created.filter((pair) => !there.has(targetOf(pair))))
      answered += there.size
      undeleted += (await idsThere(collection, deleted.map(targetOf))).size
    }
    const lost = this.created - answered
    const problems = [
      ...(lost > 0
        ? [
            `${count(lost)} of ${counted(this.created, 'document')} that it acknowledged as created ${lost === 1 ? 'is' : 'are'} not there`,
          ]
        : []),
      ...(undeleted > 0
        ? [
            `${count(undeleted)} of ${counted(this.deleted, 'document')} that it acknowledged as deleted ${undeleted === 1 ? 'is' : 'are'} still there`,
          ]
        : []),
    ]
    if (problems.length > 0) throw notSaved(`The service answered with success, but ${problems.join(', and ')}.`)
  }

  unlinkedOf({ name }: SyncWork): readonly ComparedPair[] {
    return this.unlinked.get(name) ?? []
  }

  async createAll(work: SyncWork): Promise<void> {
    const { source, signal } = this.direction
    for (const ids of inPieces(work.create, atOnce)) {
      if (signal.aborted) return
      const found = [...(await dataById(source.collection(work.name), ids))]
      await this.create(work, found)
      this.direction.onDone(ids.length)
    }
  }

  private async create(work: SyncWork, some: readonly (readonly [string, JsonObject])[]): Promise<void> {
    if (some.length === 0) return
    const { direction, missing } = this
    const fields = some.map(([, data]) => direction.created(work, data))
    // Before the answer: what is in the same batch has no id there yet either.
    const isOpen = some.map(([, data]) => idsIn(data, missing).length > 0)
    const ids = some.map(([id]) => id)
    const idempotencyKey = `sync-${hashOf([work.pairs.begin(ids), ids, fields])}`
    try {
      const made = await direction.target.collection(work.name).createMany(fields, { idempotencyKey })
      const pairs: Pair[] = []
      for (const [at, [id, data]] of some.entries()) {
        const one = made[at]
        if (!one) continue
        const pair = { ...direction.pairOf(id, one.id), hash: direction.hashOf(work, data) }
        pairs.push(pair)
        if (isOpen[at]) this.linkLater(work, pair, direction.targetHash(work, one.data))
      }
      work.pairs.add(pairs)
      this.acknowledge(work, { created: pairs })
      direction.onPaired(pairs)
      direction.keepUndo(made.map(({ id, data }) => ({ op: 'delete', collection: work.name, id, was: data })))
      this.created += some.length
      for (const [id] of some) missing.delete(id)
    } catch (error) {
      // A create names no document, so that a 404 is about the collection, or the path.
      if (!(error instanceof SvcError) || !isAboutSome(error) || error.code === 'NOT_FOUND') throw error
      const [first] = some
      if (some.length > 1) {
        const middle = Math.ceil(some.length / 2)
        await this.create(work, some.slice(0, middle))
        await this.create(work, some.slice(middle))
      } else if (first) this.refused.push({ collection: work.name, id: first[0], problem: wordsOf(error) })
    }
  }

  /** @param hash of the target's document as it was created: another client may change it meanwhile */
  private linkLater({ name }: SyncWork, pair: Pair, hash: string): void {
    const compared = { ...pair, localHash: hash, remoteHash: hash }
    const pairs = this.unlinked.get(name)
    if (pairs) pairs.push(compared)
    else this.unlinked.set(name, [compared])
  }

  /** Each only while it is as it was planned. */
  async updateAll(work: SyncWork, pairs: readonly ComparedPair[], { isLink = false } = {}): Promise<void> {
    const { direction } = this
    for (const some of inPieces(pairs, idsAtOnce)) {
      if (direction.signal.aborted) return
      const ready = await this.comparedNow(work, some)
      const operations = ready.flatMap(({ operation }) => operation ?? [])
      direction.keepUndo(ready.flatMap(({ operation, now }) => (operation ? [undoOf(operation, now)] : [])))
      const refused = await this.send(operations, ready)
      const done = ready.filter(({ pair }) => !refused.has(pair.local))
      work.pairs.add(done.map(({ pair, hash }) => ({ local: pair.local, remote: pair.remote, hash })))
      if (!isLink) this.updated += done.length
      direction.onDone(isLink ? 0 : some.length)
    }
  }

  /** The documents of these pairs that can be written, as operations; one that is the same already needs none. */
  private async comparedNow(work: SyncWork, pairs: readonly ComparedPair[]): Promise<Ready[]> {
    const { direction } = this
    const [sources, targets] = await this.bothOf(work, pairs)
    return pairs.flatMap((pair, at) => {
      const { source, target } = direction.idsOf(pair)
      const [data, now] = [sources.get(source), targets.get(target)]
      if (!data || !now) return this.refuse(work, source, 'was deleted meanwhile')
      const isChanged = direction.targetHash(work, now) !== direction.planned(pair)
      if (isChanged) return this.refuse(work, source, 'was changed meanwhile')
      const wanted = direction.kept(work, direction.written(work, data), now)
      const operation = operationOf({ collection: work.name, id: target, line: at }, now, wanted)
      return [{ pair, data, now, source, operation, hash: direction.hashOf(work, data) }]
    })
  }

  private async send(operations: readonly Operation[], ready: readonly Ready[]): Promise<ReadonlySet<string>> {
    if (operations.length === 0) return new Set()
    const { refused } = await sendOperations(operations, { client: this.direction.target, id: '', isRepeated: true })
    const failed = new Set<string>()
    for (const { line, problem } of refused) {
      const one = ready.find(({ operation }) => operation?.line === line)
      if (!one?.operation) continue
      failed.add(one.pair.local)
      this.refused.push({ collection: one.operation.collection, id: one.source, problem })
    }
    return failed
  }

  /** Each only while it is as it was planned. */
  async deleteAll(work: SyncWork): Promise<void> {
    const { direction } = this
    for (const some of inPieces(work.remove, idsAtOnce)) {
      if (direction.signal.aborted) return
      const ids = some.map((pair) => direction.idsOf(pair).target)
      const targets = await dataById(direction.target.collection(work.name), ids)
      const ready = some.flatMap((pair, at) => {
        const { target } = direction.idsOf(pair)
        const now = targets.get(target)
        if (now && direction.targetHash(work, now) !== direction.planned(pair))
          return this.refuse(work, target, 'was changed meanwhile')
        const operation: Operation = { line: at, kind: 'delete', collection: work.name, id: target, data: {}, bytes: 0 }
        return [{ pair, data: now ?? {}, now: now ?? {}, source: target, operation, hash: '' }]
      })
      // What another client has deleted already is not this run's to bring back.
      direction.keepUndo(
        ready.flatMap(({ operation, now, source }) => (targets.has(source) ? [undoOf(operation, now)] : [])),
      )
      const refused = await this.send(
        ready.map(({ operation }) => operation),
        ready,
      )
      const done = ready.filter(({ pair }) => !refused.has(pair.local))
      work.pairs.remove(done.map(({ pair }) => pair))
      this.acknowledge(work, { deleted: done.map(({ pair }) => pair) })
      this.deleted += done.length
      direction.onDone(some.length)
    }
  }

  private async bothOf({ name }: SyncWork, pairs: readonly Pair[]) {
    const { source, target, idsOf } = this.direction
    const ids = pairs.map(idsOf)
    return Promise.all([
      dataById(
        source.collection(name),
        ids.map((one) => one.source),
      ),
      dataById(
        target.collection(name),
        ids.map((one) => one.target),
      ),
    ])
  }

  private refuse({ name }: SyncWork, id: string, problem: string): [] {
    this.refused.push({ collection: name, id, problem })
    return []
  }
}

/** What the target has answered with success. */
interface Acknowledged {
  readonly created: readonly Pair[]
  readonly deleted: readonly Pair[]
}

interface Ready {
  readonly pair: ComparedPair
  readonly source: string
  readonly data: JsonObject
  /** The document of the target. */
  readonly now: JsonObject
  readonly operation: Operation | undefined
  readonly hash: string
}
