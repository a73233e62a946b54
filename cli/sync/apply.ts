/** Writes a plan from one side to the other. If it is stopped, the next plan continues where it ended. */
import type { Schema } from '../../client/protocol/model/collection.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import type { Path } from '../../client/protocol/model/path.js'
import type { Operation } from '../bulk/operations.js'
import { dataById, idsThere, notSaved } from '../bulk/read-back.js'
import { describeRefusal, isAboutSome } from '../bulk/refusals.js'
import { sendOperations } from '../bulk/send-operations.js'
import { hashJson } from '../files/hash.js'
import { inPieces } from '../records/pieces.js'
import { count, counted } from '../terminal/print.js'
import type { ComparedPair } from './compare.js'
import { idsIn } from './documents.js'
import { inLinkOrder, withoutOpenLinks } from './linked-fields.js'
import { planOperation, planUndo, type Undo } from './operations.js'
import type { Pair, Pairs } from './pairs.js'
import { type SharedIds, type Side, sharedHash, syncedHash } from './side.js'

/** The writes to one collection. */
export interface SyncWork {
  readonly name: string
  readonly pairs: Pairs
  readonly redacted: readonly Path[]
  readonly schema: Schema
  /** Ids of the source. */
  readonly create: readonly string[]
  readonly update: readonly ComparedPair[]
  readonly remove: readonly ComparedPair[]
}

export interface RefusedDocument {
  readonly collection: string
  /** The source's id; for a deletion, the target's. */
  readonly id: string
  readonly problem: string
}

export interface Synced {
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly refused: readonly RefusedDocument[]
}

/** A running pull or push. */
export interface SyncRun {
  readonly works: readonly SyncWork[]
  readonly ids: SharedIds
  /** Saves how to undo writes to different documents: before something is changed or deleted, after it was created. */
  readonly keepUndo?: (undo: readonly Undo[]) => void
  onDone(documents: number): void
  readonly signal: AbortSignal
}

const atOnce = 500
/** One page of a list. */
const idsAtOnce = 99

/**
 * Creates, updates, links what was created, then deletes. An abort takes effect between two requests.
 *
 * @throws {CliFailure} `NOT_SAVED` if the target does not have what it acknowledged
 */
export async function applySync(from: Side, to: Side, options: SyncRun): Promise<Synced> {
  const works = inLinkOrder(options.works)
  const run = new Run(from, to, { ...options, works })
  for (const work of works) await run.createAll(work)
  for (const work of works) await run.updateAll(work, work.update)
  for (const work of works) await run.updateAll(work, run.unlinkedOf(work), { isLink: true })
  for (const work of works) await run.deleteAll(work)
  if (!options.signal.aborted) await run.verify()
  return run.result()
}

class Run {
  private created = 0
  private updated = 0
  private deleted = 0
  private readonly refused: RefusedDocument[] = []
  private readonly unlinked = new Map<string, ComparedPair[]>()
  private readonly acknowledged = new Map<SyncWork, Acknowledged>()
  /** Ids of the source whose documents the target does not have yet. */
  private readonly missing: Set<string>

  constructor(
    private readonly from: Side,
    private readonly to: Side,
    private readonly options: SyncRun,
  ) {
    this.missing = new Set(options.works.flatMap(({ create }) => create))
  }

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

  /** Looks up what was created and deleted. A missing document loses its pair, so the next run creates it. */
  async verify(): Promise<void> {
    const { to, acknowledged } = this
    const targetId = (pair: Pair) => pair[to.name]
    let answered = 0
    let undeleted = 0
    for (const [work, { created, deleted }] of acknowledged) {
      const collection = to.client.collection(work.name)
      const there = await idsThere(collection, created.map(targetId))
      work.pairs.remove(created.filter((pair) => !there.has(targetId(pair))))
      answered += there.size
      undeleted += (await idsThere(collection, deleted.map(targetId))).size
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
    const { from, options } = this
    for (const ids of inPieces(work.create, atOnce)) {
      if (options.signal.aborted) return
      const found = [...(await dataById(from.client.collection(work.name), ids))]
      await this.create(work, this.storable(work, found))
      options.onDone(ids.length)
    }
  }

  /** Refuses documents that the target would leave out, because the others would take their places in the answer. */
  private storable(work: SyncWork, found: readonly (readonly [string, JsonObject])[]) {
    const { from, to } = this
    if (to.storesEmpty) return found
    return found.filter(([id, data]) => {
      const isEmpty = Object.keys(to.created(work, from.shared(data))).length === 0
      if (isEmpty) this.refuse(work, id, 'has no fields, and the service stores no empty documents')
      return !isEmpty
    })
  }

  private async create(work: SyncWork, some: readonly (readonly [string, JsonObject])[]): Promise<void> {
    if (some.length === 0) return
    const { from, to, options, missing } = this
    const fields = some.map(([, data]) => to.created(work, from.shared(withoutOpenLinks(work.schema, data, missing))))
    // Checked before the answer, since documents of the same batch have no id there yet.
    const isOpen = some.map(([, data]) => idsIn(data, missing).length > 0)
    const ids = some.map(([id]) => id)
    const idempotencyKey = `sync-${hashJson([work.pairs.begin(ids), ids, fields])}`
    try {
      const made = await to.client.collection(work.name).createMany(fields, { idempotencyKey })
      if (made.length !== some.length)
        throw notSaved(
          `The service answered ${count(made.length)} of ${counted(some.length, 'document')} of "${work.name}".`,
        )
      const pairs: Pair[] = []
      for (const [at, [id, data]] of some.entries()) {
        const one = made[at]
        if (!one) continue
        const pair = { ...pairIds(from, id, one.id), hash: syncedHash(from, work, data) }
        pairs.push(pair)
        if (isOpen[at]) this.linkLater(work, pair, sharedHash(to, work, one.data))
      }
      work.pairs.add(pairs)
      this.acknowledge(work, { created: pairs })
      options.ids.add(pairs)
      options.keepUndo?.(made.map(({ id, data }) => ({ op: 'delete', collection: work.name, id, was: data })))
      this.created += some.length
      for (const [id] of some) missing.delete(id)
    } catch (error) {
      if (!isAboutNewDocuments(error)) throw error
      const [first] = some
      if (some.length > 1) {
        const middle = Math.ceil(some.length / 2)
        await this.create(work, some.slice(0, middle))
        await this.create(work, some.slice(middle))
      } else if (first) this.refused.push({ collection: work.name, id: first[0], problem: describeRefusal(error) })
    }
  }

  /** @param hash the target's document as created, since another client may change it before it is linked */
  private linkLater({ name }: SyncWork, pair: Pair, hash: string): void {
    const compared = { ...pair, localHash: hash, remoteHash: hash }
    const pairs = this.unlinked.get(name)
    if (pairs) pairs.push(compared)
    else this.unlinked.set(name, [compared])
  }

  /** Updates each document unless it has changed since the plan. */
  async updateAll(work: SyncWork, pairs: readonly ComparedPair[], { isLink = false } = {}): Promise<void> {
    const { options } = this
    for (const some of inPieces(pairs, idsAtOnce)) {
      if (options.signal.aborted) return
      const ready = await this.comparedNow(work, some)
      const operations = ready.flatMap(({ operation }) => operation ?? [])
      options.keepUndo?.(ready.flatMap(({ operation, now }) => (operation ? [planUndo(operation, now)] : [])))
      const refused = await this.send(operations, ready)
      const done = ready.filter(({ pair }) => !refused.has(pair.local))
      work.pairs.add(done.map(({ pair, hash }) => ({ local: pair.local, remote: pair.remote, hash })))
      if (!isLink) this.updated += done.length
      options.onDone(isLink ? 0 : some.length)
    }
  }

  /** Plans an operation for each pair that can be written; equal documents need none. */
  private async comparedNow(work: SyncWork, pairs: readonly ComparedPair[]): Promise<Ready[]> {
    const { from, to } = this
    const [sources, targets] = await this.loadBoth(work, pairs)
    return pairs.flatMap((pair, at) => {
      const [source, target] = [pair[from.name], pair[to.name]]
      const [data, now] = [sources.get(source), targets.get(target)]
      if (!data || !now) return this.refuse(work, source, 'was deleted in the meantime')
      if (sharedHash(to, work, now) !== plannedHash(to, pair))
        return this.refuse(work, source, 'was changed in the meantime')
      const wanted = to.updated(work, from.shared(data), now)
      const operation = planOperation({ collection: work.name, id: target, line: at }, now, wanted)
      return [{ pair, data, now, source, operation, hash: syncedHash(from, work, data) }]
    })
  }

  private async send(operations: readonly Operation[], ready: readonly Ready[]): Promise<ReadonlySet<string>> {
    if (operations.length === 0) return new Set()
    const { refused } = await sendOperations(operations, { client: this.to.client, id: '', isRepeated: true })
    const failed = new Set<string>()
    for (const { line, problem } of refused) {
      const one = ready.find(({ operation }) => operation?.line === line)
      if (!one?.operation) continue
      failed.add(one.pair.local)
      this.refused.push({ collection: one.operation.collection, id: one.source, problem })
    }
    return failed
  }

  /** Deletes each document unless it has changed since the plan. */
  async deleteAll(work: SyncWork): Promise<void> {
    const { to, options } = this
    for (const some of inPieces(work.remove, idsAtOnce)) {
      if (options.signal.aborted) return
      const ids = some.map((pair) => pair[to.name])
      const targets = await dataById(to.client.collection(work.name), ids)
      const ready = some.flatMap((pair, at) => {
        const target = pair[to.name]
        const now = targets.get(target)
        if (now && sharedHash(to, work, now) !== plannedHash(to, pair))
          return this.refuse(work, target, 'was changed in the meantime')
        const operation: Operation = { line: at, kind: 'delete', collection: work.name, id: target, data: {}, bytes: 0 }
        return [{ pair, data: now ?? {}, now: now ?? {}, source: target, operation, hash: '' }]
      })
      // Undo must not bring back what another client has deleted.
      options.keepUndo?.(
        ready.flatMap(({ operation, now, source }) => (targets.has(source) ? [planUndo(operation, now)] : [])),
      )
      const refused = await this.send(
        ready.map(({ operation }) => operation),
        ready,
      )
      const done = ready.filter(({ pair }) => !refused.has(pair.local))
      work.pairs.remove(done.map(({ pair }) => pair))
      this.acknowledge(work, { deleted: done.map(({ pair }) => pair) })
      this.deleted += done.length
      options.onDone(some.length)
    }
  }

  private loadBoth({ name }: SyncWork, pairs: readonly Pair[]) {
    const load = (side: Side) =>
      dataById(
        side.client.collection(name),
        pairs.map((pair) => pair[side.name]),
      )
    return Promise.all([load(this.from), load(this.to)])
  }

  private refuse({ name }: SyncWork, id: string, problem: string): [] {
    this.refused.push({ collection: name, id, problem })
    return []
  }
}

/** A create names no document, so a 404 means the collection or the path. */
function isAboutNewDocuments(error: unknown): error is SvcError {
  return error instanceof SvcError && isAboutSome(error) && error.code !== 'NOT_FOUND'
}

function pairIds({ name }: Side, source: string, target: string): Pair {
  return name === 'local' ? { local: source, remote: target } : { local: target, remote: source }
}

/** Returns the hash that the side's document had when the plan was made, or when this run created it. */
function plannedHash({ name }: Side, pair: ComparedPair): string | undefined {
  return name === 'local' ? pair.localHash : pair.remoteHash
}

/** Writes that the target answered with success. */
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
