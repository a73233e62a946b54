import * as Flags from '@oclif/core/flags'
import { dryRunFlag } from '../base/dry-run-flag.js'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { noEmulator } from '../base/here.js'
import { createLinked } from '../collections/create-linked.js'
import { conditionFlags, whereFlags } from '../documents/where-flag.js'
import { applySync } from '../sync/apply.js'
import { type ChosenWork, chosenWork, openWorks, redactedIn, within, withLinks } from '../sync/chosen-work.js'
import type { CollectionPlan } from '../sync/compare.js'
import { copyFiles } from '../sync/files.js'
import { openPairs } from '../sync/pairs.js'
import type { Sides } from '../sync/plan.js'
import { forgetRedacted, keepRedacted } from '../sync/redacted-fields.js'
import { openSides } from '../sync/side.js'
import {
  alsoFlags,
  byFlag,
  collectionArgs,
  type Followed,
  namesWithout,
  type OtherRow,
  SyncCommand,
  type WholePlan,
} from '../sync/sync-command.js'
import { createUsers } from '../sync/users.js'
import { openControl } from '../target/control.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { type Target, targetWords } from '../target/target.js'
import { counted } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'
import { shellWord } from '../terminal/shell-word.js'

export default class Pull extends SyncCommand {
  static override summary = 'Copy collections from another service into your emulator.'
  static override description =
    prose(`Creates missing collections, with schema and permissions, and missing documents. Updates documents that changed there
since the last pull or push. Documents get new ids, and links between them follow. Your own changes stay. Documents that changed on
both sides stay too, unless you pass --force. Documents that were deleted there stay, unless you pass --delete.

With --users, users that only the service has are created with their email, data and roles, and without a password: they reset it,
or you log in with svc users token. Users with an email that exists here stay as they are. With --files, stored files that are not
here are copied. Documents keep the addresses of files at the service.

Shows the plan, and saves a snapshot before it writes: svc undo restores it.`)
  static override examples = [
    '<%= config.bin %> pull --profile staging',
    '<%= config.bin %> pull customers orders --profile staging --redact customers.email --redact customers.address.street',
  ]
  static override usage = 'pull [COLLECTION...]'
  static override args = collectionArgs
  static override flags = {
    by: byFlag,
    redact: Flags.string({
      multiple: true,
      description: 'write substitutes for COLLECTION.FIELD; later pulls and pushes remember it',
      helpValue: 'field',
    }),
    unredact: Flags.string({
      multiple: true,
      description: 'pull COLLECTION.FIELD unredacted again, if the emulator has no substitutes of it',
      helpValue: 'field',
    }),
    ...whereFlags,
    delete: Flags.boolean({ description: 'delete documents that were deleted there', exclusive: conditionFlags }),
    force: Flags.boolean({ description: 'overwrite documents that changed on both sides' }),
    ...alsoFlags,
    'dry-run': dryRunFlag,
  }

  protected readonly access = 'read'

  async run() {
    const { argv, flags } = await this.parse(Pull)
    const redacted = readFields('--redact', flags.redact ?? [])
    const unredacted = readFields('--unredact', flags.unredact ?? [])
    return this.withBoth(flags, async (sides, here) => {
      const rules = { also: flags, isPull: true, redact: redacted, unredact: unredacted }
      const plan = await this.plan(sides, { names: argv.map(String), by: flags.by, ...rules })
      requireKnown(plan.collections, redacted, here)
      requireAbsent(plan.collections, unredacted, here)
      const plans = plan.collections.filter(({ remote }) => remote !== undefined)
      const isSelected = await this.selected(
        sides.remote,
        plans.map(({ name }) => name),
        flags,
      )
      const chosenWorks = plans.map((one) => within(chosen(one, flags), 'remote', isSelected))
      const work = withLinks(chosenWorks, othersHere(chosenWorks, plan))
      const total = this.showPlans(work)
      const others = listOthers(plan)
      this.showOthers(others)
      this.noteRedacted(work, redacted)
      if (flags['dry-run']) return { ...this.planned(sides.url, work, namesWithout(plans, 'local')), others }
      const isNothing = total === 0 && plans.every(({ local }) => local) && others.every(({ create }) => create === 0)
      if (isNothing) this.note('There is nothing to pull.')
      else await this.confirm(question(total, others, new URL(sides.url).host), flags)
      const pulling = { sides, plan, work, unredacted, emulator: requireEmulator(here) }
      const pull = () => this.follow(total, flags, (followed) => pullAll(pulling, followed))
      const command = ['pull', ...argv.map(String)].join(' ')
      const synced = await (isNothing ? pull() : this.undoably(here, command, flags, pull))
      this.showRefused(synced.refused)
      const counts = isNothing ? [] : await this.countBoth(work, sides.local, 'local')
      if (!isNothing) this.noteSynced(synced, counts)
      return { url: sides.url, collections: work.map(({ row }) => row), ...synced, others, counts }
    })
  }

  /** Names the fields that are redacted because an earlier pull asked for it. */
  private noteRedacted(work: readonly ChosenWork[], redacted: Fields): void {
    for (const { plan, create } of work) {
      const fields = redactedIn(plan).filter((field) => !redacted.get(plan.name)?.includes(field))
      if (create.length === 0 || fields.length === 0) continue
      this.note(`Redacted in "${plan.name}", as in an earlier pull: ${fields.join(', ')}.`)
    }
  }
}

/** Dotted names, by collection. */
type Fields = ReadonlyMap<string, readonly string[]>

function question(documents: number, others: readonly OtherRow[], host: string): string {
  const parts = [
    ...(documents > 0 ? [counted(documents, 'document')] : []),
    ...others.flatMap(({ also, create }) => (create > 0 ? [counted(create, also === 'users' ? 'user' : 'file')] : [])),
  ]
  if (parts.length === 0) return `Create the missing collections of ${host}, without documents?`
  return `Write ${parts.join(', ')} from ${host} into the emulator?`
}

/** Chooses the writes of a plan. A pull restores documents that were deleted here. */
function chosen(plan: CollectionPlan, { delete: deletes, force }: { delete: boolean; force: boolean }) {
  const conflicts = force ? plan.conflicts : []
  const create = [
    ...plan.onlyThere,
    ...plan.deletedHere.map(({ remote }) => remote),
    ...conflicts.filter(({ localHash }) => localHash === undefined).map(({ remote }) => remote),
  ]
  const update = [...plan.changedThere, ...conflicts.filter(({ localHash, remoteHash }) => localHash && remoteHash)]
  const remove = deletes ? plan.deletedThere : []
  const left = plan.conflicts.length - conflicts.length + plan.deletedThere.length - remove.length
  return chosenWork(plan, { create, update, remove }, left + plan.changedHere.length)
}

/** Returns the ids in the emulator's documents that a pull replaces. */
function othersHere(work: readonly ChosenWork[], { ids, users }: WholePlan): ReadonlySet<string> {
  const created = new Set([...work.flatMap(({ create }) => create), ...(users?.onlyThere ?? []).map(({ id }) => id)])
  const toLocal = new Map([...ids].map(([local, remote]) => [remote, local]))
  const others = new Set(created)
  for (const [local, remote] of ids) {
    const now = toLocal.get(remote)
    if (now !== local || created.has(remote)) others.add(local)
    if (now !== remote) others.add(remote)
  }
  return others
}

function listOthers({ users, files }: WholePlan): OtherRow[] {
  return [
    ...(users ? [{ also: 'users', create: users.onlyThere.length, leftAlone: users.pairs.length } as const] : []),
    ...(files ? [{ also: 'files', create: files.onlyThere.length, leftAlone: files.same } as const] : []),
  ]
}

/** @throws {CliFailure} if there is none */
function requireEmulator({ emulator }: Target): OwnEmulator {
  if (!emulator) throw noEmulator()
  return emulator
}

interface Pulling {
  readonly sides: Sides
  readonly emulator: OwnEmulator
  readonly plan: WholePlan
  readonly work: readonly ChosenWork[]
  readonly unredacted: Fields
}

async function pullAll({ sides, emulator, plan, work, unredacted }: Pulling, followed: Followed) {
  for (const { plan: one } of work) {
    if (!one.remote) continue
    forgetRedacted(sides, one.remote, unredacted.get(one.name) ?? [])
    keepRedacted(sides, one.remote, redactedIn(one))
  }
  await createLinked(
    sides.local,
    work.flatMap(({ plan: { pairs, remote } }) => (pairs || !remote ? [] : [remote])),
  )
  const works = await openWorks(work, (plan) => pairHere(sides, plan))
  const { local, remote, ids } = openSides(sides, plan.ids)
  if (plan.users) {
    const { userPairs: pairs } = sides
    await createUsers(openControl(emulator), emulator.projectId, { plan: plan.users, pairs, signal: followed.signal })
    ids.add([...pairs.byLocal.values()])
  }
  const synced = await applySync(remote, local, { ...followed, works, ids })
  const [from, to] = [sides.remote, sides.local]
  await copyFiles(plan.files?.onlyThere ?? [], { from, to, signal: followed.signal })
  for (const { pairs } of works) pairs.markPulled()
  return synced
}

async function pairHere({ local, url }: Sides, { name, remote }: CollectionPlan) {
  const created = await local.collections.get(name)
  return openPairs(url, { local: created.id, remote: remote?.id ?? '' })
}

/** @throws {CliFailure} with exit 2 unless each is `COLLECTION.FIELD` */
function readFields(flag: string, texts: readonly string[]): Map<string, string[]> {
  const byCollection = new Map<string, string[]>()
  for (const text of texts) {
    const [name = '', ...path] = text.split('.')
    if (name === '' || path.length === 0 || path.includes('')) {
      throw misuse(`Invalid ${flag} "${text}".`, `Use COLLECTION.FIELD: ${flag} customers.email`)
    }
    byCollection.set(name, [...(byCollection.get(name) ?? []), path.join('.')])
  }
  return byCollection
}

/** Refuses to forget a redaction while substitutes are here, since a push would write them. */
function requireAbsent(plans: readonly CollectionPlan[], unredacted: Fields, { url }: { readonly url: string }): void {
  for (const [name, fields] of unredacted) {
    const plan = plans.find((one) => one.name === name)
    if (!plan?.remote)
      throw misuse(`--unredact names "${name}", which is not pulled.`, 'Check the spelling of the collection.')
    if (!fields.some((field) => plan.substitutes.has(field))) continue
    throw new CliFailure(
      'REDACTED',
      exits.invalid,
      `"${name}" has substitutes in the emulator. Nothing was done.`,
      deletion(name, url),
    )
  }
}

function deletion(name: string, url: string): string {
  return `Delete it, then pull it again: svc collections delete ${shellWord(name)}${targetWords({ url })}`
}

/** Refuses to redact what was pulled unredacted before, or is not pulled at all. */
function requireKnown(plans: readonly CollectionPlan[], redacted: Fields, { url }: { readonly url: string }): void {
  for (const [name, fields] of redacted) {
    const plan = plans.find((one) => one.name === name)
    if (!plan?.remote)
      throw misuse(`--redact names "${name}", which is not pulled.`, 'Check the spelling of the collection.')
    const { pairs } = plan
    const added = fields.find((field) => pairs && pairs.byLocal.size > 0 && !pairs.redacted.has(field))
    if (added === undefined) continue
    const message = `"${name}" was pulled before with "${added}" unredacted. Nothing was done.`
    throw new CliFailure('NOT_REDACTED', exits.invalid, message, deletion(name, url))
  }
}
