import * as Flags from '@oclif/core/flags'
import { SvcError } from '../../client/protocol/model/errors.js'
import { dryRunFlag } from '../base/dry-run-flag.js'
import { reworded } from '../base/failure.js'
import type { CommandInput } from '../base/service-command.js'
import { createLinked } from '../collections/create-linked.js'
import { unlistedId } from '../collections/identify.js'
import { conditionFlags, whereFlags } from '../documents/where-flag.js'
import { applySync } from '../sync/apply.js'
import { type ChosenWork, chosenWork, openWorks, redactedIn, within, withLinks } from '../sync/chosen-work.js'
import type { CollectionPlan } from '../sync/compare.js'
import { copyFiles } from '../sync/files.js'
import { openPairs } from '../sync/pairs.js'
import type { Sides } from '../sync/plan.js'
import { openSides } from '../sync/side.js'
import {
  alsoFlags,
  byFlag,
  collectionArgs,
  type Followed,
  namesWithout,
  SyncCommand,
  type WholePlan,
} from '../sync/sync-command.js'
import { openUndoFile, type UndoFile } from '../sync/undo-file.js'
import { counted } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'
import { shellWord } from '../terminal/shell-word.js'

export default class Push extends SyncCommand {
  static override summary = 'Copy collections from your emulator to another service.'
  static override description =
    prose(`Creates missing collections, with schema and permissions, and documents that only your emulator has. Updates documents
that changed here since the last pull or push. Redacted fields are never written. Documents that changed on both sides stay, unless
you pass --force. Documents that you deleted stay there, unless you pass --delete. A collection that was deleted there is created
again only if you name it or pass --force. With --files, stored files that the service lacks are copied; they stay until you delete
them. Users are not copied, because a service creates them only by sign-up, with a password.

Shows the plan and asks. Saves what it overwrites and deletes to a file, which svc docs batch -f restores.`)
  static override examples = [
    '<%= config.bin %> push posts --profile staging',
    '<%= config.bin %> push --profile staging --by slug --delete',
  ]
  static override usage = 'push [COLLECTION...]'
  static override args = collectionArgs
  static override flags = {
    by: byFlag,
    ...whereFlags,
    delete: Flags.boolean({ description: 'delete documents that were deleted here', exclusive: conditionFlags }),
    force: Flags.boolean({
      description: 'overwrite documents that changed on both sides, and restore deleted collections',
    }),
    files: alsoFlags.files,
    'dry-run': dryRunFlag,
  }

  protected readonly access = ({ flags }: CommandInput) => (flags['dry-run'] ? 'read' : 'write')

  async run() {
    const { argv, flags } = await this.parse(Push)
    return this.withBoth(flags, async (sides) => {
      const plan = await this.plan(sides, {
        names: argv.map(String),
        by: flags.by,
        also: { users: false, files: flags.files },
      })
      const isWanted = ({ isGone }: CollectionPlan) => !isGone || argv.length > 0 || flags.force
      const plans = plan.collections.filter((one) => one.local !== undefined && isWanted(one))
      if (plan.collections.some((one) => !isWanted(one))) this.note('To create them again, name them or pass --force.')
      const isSelected = await this.selected(
        sides.local,
        plans.flatMap(({ local }) => local?.name ?? []),
        flags,
      )
      const chosenWorks = plans.map((one) => within(chosen(one, flags), 'local', isSelected))
      const newThere = [...chosenWorks.flatMap(({ create }) => create), ...plan.recovered]
      const work = withLinks(chosenWorks, new Set(newThere))
      const total = this.showPlans(work)
      const files = plan.files?.onlyHere ?? []
      const others = plan.files ? [{ also: 'files', create: files.length, leftAlone: plan.files.same } as const] : []
      this.showOthers(others)
      await this.showSamples(work, sides.local)
      this.noteRedacted(work)
      if (flags['dry-run']) return { ...this.planned(sides.url, work, namesWithout(plans, 'remote')), others }
      const isNothing = total === 0 && files.length === 0 && plans.every(({ remote }) => remote)
      const { host } = new URL(sides.url)
      if (isNothing) this.note('There is nothing to push.')
      else
        await this.confirmWrite(
          flags,
          describeCounts(
            work.map(({ row }) => row),
            files.length,
          ),
          { isAlwaysAsked: true },
        )
      const undo = openUndoFile(host, new Date())
      const synced = await this.follow(total, flags, (followed) =>
        pushAll({ sides, plan, work, undo }, followed).catch(refused(plans, this.there(''))),
      ).catch((error) => this.failWith(error, this.wayBack(undo)))
      this.showRefused(synced.refused)
      const counts = isNothing ? [] : await this.countBoth(work, sides.remote, 'remote')
      if (!isNothing) this.noteSynced(synced, counts)
      const wayBack = this.wayBack(undo)
      if (wayBack !== undefined) this.noteAlways(wayBack)
      const takenBackBy = undo.isThere ? undo.path : null
      return { url: sides.url, collections: work.map(({ row }) => row), ...synced, others, counts, takenBackBy }
    })
  }

  private noteRedacted(work: readonly ChosenWork[]): void {
    for (const { plan, create } of work) {
      if (create.length === 0 || plan.redacted.length === 0) continue
      this.note(`New documents in "${plan.name}" are created without redacted fields: ${redactedIn(plan).join(', ')}.`)
    }
  }

  /** Adds the way back to the error, which --json and --quiet show too. */
  private async failWith(error: Error, wayBack: string | undefined): Promise<never> {
    if (wayBack === undefined) throw error
    throw reworded(await this.explain(error), ({ hint }) => ({ hint: hint ? `${hint}\n${wayBack}` : wayBack }))
  }

  /** Returns the command that undoes the push, or undefined if it wrote nothing. */
  private wayBack(undo: UndoFile): string | undefined {
    if (undo.isThere && !this.mayHaveWritten()) undo.discard()
    if (!undo.isThere) return undefined
    undo.reverse()
    return `To undo it: svc docs batch -f ${shellWord(undo.path)}, with the same --profile or --url.`
  }
}

function chosen(plan: CollectionPlan, { delete: deletes, force }: { delete: boolean; force: boolean }) {
  const again = force
    ? [...plan.deletedThere, ...plan.conflicts.filter(({ remoteHash }) => remoteHash === undefined)]
    : []
  const create = [...plan.onlyHere, ...again.map(({ local }) => local)]
  const overwritten = force ? plan.conflicts.filter(({ localHash, remoteHash }) => localHash && remoteHash) : []
  const update = [...plan.changedHere, ...overwritten]
  const remove = deletes ? plan.deletedHere : []
  const left = plan.conflicts.length + plan.deletedThere.length - again.length - overwritten.length
  const kept = plan.deletedHere.length - remove.length + plan.changedThere.length
  return chosenWork(plan, { create, update, remove }, left + kept)
}

function describeCounts(rows: readonly { create: number; update: number; delete: number }[], files: number): string {
  const sum = (kind: 'create' | 'update' | 'delete') => rows.reduce((all, row) => all + row[kind], 0)
  const parts = (['create', 'update', 'delete'] as const).flatMap((kind) =>
    sum(kind) > 0 ? [`${kind} ${counted(sum(kind), 'document')}`] : [],
  )
  if (files > 0) parts.push(`copy ${counted(files, 'file')}`)
  const words = parts.length === 0 ? 'create the missing collections' : parts.join(', ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Suggests the existing collections to a key that cannot create the missing ones. */
function refused(plans: readonly CollectionPlan[], target: string) {
  return (error: unknown): never => {
    const there = plans.flatMap(({ name, remote }) => (remote ? [name] : []))
    const isRefused = error instanceof SvcError && error.status === 403
    if (!isRefused || there.length === 0 || there.length === plans.length) throw error
    const names = there.map(shellWord).join(' ')
    throw reworded(error, () => ({ hint: `To push only the existing collections: svc push ${names}${target}` }))
  }
}

interface Pushing {
  readonly sides: Sides
  readonly plan: WholePlan
  readonly work: readonly ChosenWork[]
  readonly undo: UndoFile
}

async function pushAll({ sides, plan, work, undo }: Pushing, followed: Followed) {
  await createLinked(
    sides.remote,
    work.flatMap(({ plan: { pairs, local } }) => (pairs || !local ? [] : [local])),
    sides.remoteIs.listsCollections
      ? undefined
      : async () => plan.collections.flatMap(({ name, remote }) => (remote ? [name] : [])),
  )
  const works = await openWorks(work, (plan) => pairThere(sides, plan))
  const { local, remote, ids } = openSides(sides, plan.ids)
  const synced = await applySync(local, remote, { ...followed, works, ids, keepUndo: undo.add })
  const [from, to] = [sides.local, sides.remote]
  await copyFiles(plan.files?.onlyHere ?? [], { from, to, signal: followed.signal })
  return synced
}

async function pairThere({ remote, url, remoteIs }: Sides, { name, local }: CollectionPlan) {
  const { id = '' } = local ?? {}
  const there = remoteIs.listsCollections ? (await remote.collections.get(name)).id : unlistedId(url, name)
  return openPairs(url, { local: id, remote: there })
}
