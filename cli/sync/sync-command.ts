import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { createClient, type SvcError } from '../../client/index.js'
import { adapterFor } from '../base/deployed-client.js'
import { CliFailure, exits, reworded } from '../base/failure.js'
import { emulatorOfRunOrHere, noEmulator } from '../base/here.js'
import { type Client, ServiceCommand } from '../base/service-command.js'
import { stopSignal } from '../base/stop-signal.js'
import { dataById } from '../bulk/read-back.js'
import { toldCount } from '../documents/told-count.js'
import { hasConditions, readWhere, type WhereFlags } from '../documents/where-flag.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import { ownerKey } from '../target/owner.js'
import { noOtherService, type Target, type TargetFlags } from '../target/target.js'
import { count, counted, table } from '../terminal/print.js'
import { startProgress } from '../terminal/progress.js'
import { cut } from '../terminal/text-width.js'
import type { RefusedDocument, Synced } from './apply.js'
import type { ChosenWork, IsSelected } from './chosen-work.js'
import type { CollectionPlan } from './compare.js'
import { type FilePlan, planFiles } from './files.js'
import { claimPairs } from './pairs.js'
import { planSync, type Sides, type SyncPlan } from './plan.js'
import { openUserPairs, planUsers, type UserPlan } from './users.js'

export const collectionArgs = {
  collection: Args.string({ multiple: true, description: 'collections [default: all]' }),
}

export const byFlag = Flags.string({
  description: 'match documents that were never synced by this unique field',
  helpValue: 'field',
})

const usersFlag = Flags.boolean({ description: 'also the users, without passwords' })
const filesFlag = Flags.boolean({ description: 'also the stored files' })
export const alsoFlags = { users: usersFlag, files: filesFlag }

/** Selects what a command compares besides documents. */
interface Also {
  readonly users: boolean
  readonly files: boolean
}

/** The plan of a command, with the users and files that its flags ask for. */
export interface WholePlan extends SyncPlan {
  readonly users: UserPlan | undefined
  readonly files: FilePlan | undefined
}

const mostShown = 20
const mostSamples = 3
const maxSampleColumns = 80
/** Outlasts a limit per minute, but not one per hour. */
const mostWaitMilliseconds = 90_000

export interface Followed {
  readonly signal: AbortSignal
  onDone(documents: number): void
}

/** A command that reads the folder's emulator and the service that the flags name. */
export abstract class SyncCommand extends ServiceCommand {
  /** Writing requests to the service that were sent and not refused. */
  private writes = 0
  protected override readonly isOther = true
  /** Tells whether it saves pairs, so that only one such command may run. */
  protected readonly remembersPairs: boolean = true

  /** Opens both sides, the emulator as its owner. */
  protected async withBoth<Result>(
    flags: TargetFlags,
    work: (sides: Sides, here: Target) => Promise<Result>,
  ): Promise<Result> {
    const emulator = emulatorOfRunOrHere(undefined)
    if (!emulator) throw noEmulator()
    const target = this.requireTarget(flags)
    if (target.url === emulator.url) throw noOtherService()
    const { url } = emulator
    if (this.remembersPairs) claimPairs(url, target.url)
    const here: Target = {
      ...target,
      url,
      key: undefined,
      dialect: undefined,
      from: 'the running emulator',
      isLocal: true,
      isOwn: true,
      emulator,
    }
    const local = createClient({ url, apiKey: await ownerKey(here), transport: 'sse', fetch: fetchDirectly })
    const { listsCollections, storesEmpty } = adapterFor(target.dialect)
    const remoteIs = { listsCollections, storesEmpty }
    const userPairs = openUserPairs(target.url, emulator.projectId)
    const remote = this.patientClient(flags)
    return work({ local, remote, url: target.url, key: target.key, remoteIs, userPairs }, here)
  }

  /** Suggests the secret key, since no user acts here. */
  protected override async explainRefused(cause: SvcError): Promise<Error> {
    const listed = await this.client({})
      .collections.list()
      .catch(() => undefined)
    if (!listed) return cause
    const hint = `Use the secret key, or name the collections that this key is for: ${this.there(`svc ${this.id} COLLECTION…`)}`
    return reworded(cause, () => ({ hint }))
  }

  /** Waits for the next window of a rate limit instead of failing halfway. */
  private patientClient(flags: TargetFlags): Client {
    let isWaiting = false
    return this.client(flags, {
      retry: { attempts: 5, mostWait: mostWaitMilliseconds },
      onRequest: ({ method }) => {
        if (method !== 'GET') this.writes++
      },
      onResponse: ({ method, status }) => {
        if (method !== 'GET' && status >= 400 && status < 500) this.writes--
        if (status !== 429 || isWaiting) return
        isWaiting = true
        this.note('The service limits requests. Waiting for the next window.')
      },
    })
  }

  protected mayHaveWritten(): boolean {
    return this.writes > 0
  }

  /** Returns the plan of `--dry-run`. */
  protected planned(url: string, work: readonly ChosenWork[], missing: readonly string[]) {
    this.note('Nothing was written.')
    return { url, isPlan: true, collections: work.map(({ row }) => row), newCollections: missing }
  }

  /** Compares both sides. A signal stops the reading. */
  protected async plan(
    sides: Sides,
    options: {
      readonly names: readonly string[]
      readonly by?: string | undefined
      readonly also: Also
      readonly isPull?: boolean
      readonly redact?: ReadonlyMap<string, string[]>
      readonly unredact?: ReadonlyMap<string, string[]>
    },
  ): Promise<WholePlan> {
    const stop = stopSignal()
    try {
      const { names, by, also, isPull = false, redact = new Map(), unredact = new Map() } = options
      const users = also.users ? await planUsers(sides, stop.signal) : undefined
      const files = also.files ? await planFiles(sides) : undefined
      const pairs = users?.pairs ?? []
      const plan = await planSync(sides, { names, by, isPull, redact, unredact, users: pairs, signal: stop.signal })
      if (!sides.remoteIs.listsCollections)
        this.note('The service does not show schemas and permissions, so they are not compared.')
      for (const { name } of plan.collections.filter(({ isGone }) => isGone)) {
        this.note(`The service no longer shows "${name}": it was deleted, or the key cannot read it.`)
      }
      return { ...plan, users, files }
    } catch (error) {
      throw stop.signal.aborted ? interrupted('Stopped; nothing was done.', stop.exit()) : error
    } finally {
      stop.release()
    }
  }

  /** @throws {CliFailure} with exit 130 or 143 if it was stopped */
  protected async follow<Result>(
    total: number,
    flags: { quiet: boolean },
    work: (followed: Followed) => Promise<Result>,
  ): Promise<Result> {
    const progress = await startProgress(total, 'document', { isWanted: !flags.quiet && !this.jsonEnabled() })
    const stop = stopSignal()
    let done = 0
    try {
      const onDone = (documents: number) => {
        done += documents
        progress.at(Math.min(done, total), done)
      }
      const result = await work({ signal: stop.signal, onDone })
      if (stop.signal.aborted)
        throw interrupted(`Stopped; ${count(done)} of ${counted(total, 'document')} done.`, stop.exit())
      return result
    } finally {
      progress.stop()
      stop.release()
    }
  }

  /** Prints the plan of each collection, and returns the number of documents to write. */
  protected showPlans(work: readonly ChosenWork[]): number {
    const rows = work.map(({ row }) => row)
    const some = rows.filter((row) => row.create + row.update + row.delete + row.leftAlone > 0)
    if (some.length > 0) this.note(table(some))
    return rows.reduce((sum, { create, update, delete: removed }) => sum + create + update + removed, 0)
  }

  /** Prints how many users or files a run creates and leaves alone. */
  protected showOthers(rows: readonly OtherRow[]): void {
    if (rows.length > 0) this.note(table(rows.map((row) => ({ ...row }))))
  }

  /** Counts the documents of the target before the run, by the plan, and now. Null if the service does not count them. */
  protected async countBoth(
    work: readonly ChosenWork[],
    target: Client,
    side: 'local' | 'remote',
  ): Promise<readonly CountRow[]> {
    const rows: CountRow[] = []
    for (const { plan } of work)
      rows.push({
        collection: plan.name,
        before: countOn(plan, side),
        after: await toldCount(target.collection(plan.name)),
      })
    return rows
  }

  /** Finds the documents of the source that match the conditions; undefined without conditions. */
  protected async selected(
    source: Client,
    names: readonly string[],
    flags: WhereFlags,
  ): Promise<IsSelected | undefined> {
    if (!hasConditions(flags)) return undefined
    const where = readWhere(flags)
    const found = new Map<string, Set<string>>()
    for (const name of names) {
      const ids = new Set<string>()
      for await (const { id } of source.collection(name).iterate({ where })) ids.add(id)
      found.set(name, ids)
    }
    return (collection, id) => found.get(collection)?.has(id) === true
  }

  /** Prints some of the documents that are created and updated, as the emulator has them. */
  protected async showSamples(work: readonly ChosenWork[], local: Client): Promise<void> {
    if (this.isQuiet() || this.jsonEnabled()) return
    for (const { plan, create, update } of work) {
      const kinds = [
        ['create', create],
        ['update', update.map((pair) => pair.local)],
      ] as const
      for (const [kind, ids] of kinds) {
        const some = ids.slice(0, mostSamples)
        for (const [id, data] of await dataById(local.collection(plan.name), some))
          this.note(`${kind}  ${plan.name}/${id}  ${cut(JSON.stringify(data), maxSampleColumns)}`)
      }
    }
  }

  protected noteSynced({ created, updated, deleted, refused }: Synced, counts: readonly CountRow[]): void {
    const parts = [`${count(created)} created`, `${count(updated)} updated`, `${count(deleted)} deleted`]
    this.note(`${parts.join(', ')}, ${count(refused.length)} refused.`)
    if (counts.length > 0) this.note(table(counts.map((row) => ({ ...row }))))
  }

  protected showRefused(refused: readonly RefusedDocument[]): void {
    for (const { collection, id, problem } of refused.slice(0, mostShown))
      this.noteAlways(`${collection}/${id}  ${problem}`)
    if (refused.length > mostShown) this.noteAlways(`… and ${count(refused.length - mostShown)} more`)
    if (refused.length > 0) process.exitCode = exits.invalid
  }
}

export interface OtherRow {
  readonly also: 'users' | 'files'
  readonly create: number
  readonly leftAlone: number
}

export interface CountRow {
  readonly collection: string
  readonly before: number
  readonly after: number | null
}

/** Counts the documents that a side had when the plan was made. */
function countOn(plan: CollectionPlan, side: 'local' | 'remote'): number {
  const { same, changedHere, changedThere, conflicts, deletedHere, deletedThere, onlyHere, onlyThere } = plan
  const hash = side === 'local' ? 'localHash' : 'remoteHash'
  const pairs = [...same, ...changedHere, ...changedThere, ...conflicts, ...deletedHere, ...deletedThere]
  const own = side === 'local' ? onlyHere : onlyThere
  return pairs.filter((pair) => pair[hash] !== undefined).length + own.length
}

/** Returns the collections that one side lacks. */
export function namesWithout(plans: readonly CollectionPlan[], side: 'local' | 'remote'): string[] {
  return plans.flatMap((plan) => (plan[side] ? [] : [plan.name]))
}

function interrupted(message: string, exit: number): CliFailure {
  return new CliFailure('INTERRUPTED', exit, message, 'Run the same command again to continue.')
}
