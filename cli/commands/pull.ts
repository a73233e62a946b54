import * as Flags from '@oclif/core/flags'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { applySync } from '../sync/apply.js'
import { type ChosenWork, chosenWork, openWorks, redactedIn, withLinks } from '../sync/chosen-work.js'
import type { CollectionPlan } from '../sync/compare.js'
import { openPairs } from '../sync/pairs.js'
import type { Sides, SyncPlan } from '../sync/plan.js'
import { forgetRedacted, keepRedacted } from '../sync/redacted-fields.js'
import { openSides } from '../sync/side.js'
import { byFlag, collectionArgs, type Followed, SyncCommand } from '../sync/sync-command.js'
import { targetWords } from '../target/target.js'
import { counted } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'
import { shellWord } from '../terminal/shell-word.js'

export default class Pull extends SyncCommand {
  static override summary = 'Copy collections of another service into the emulator of this folder.'
  static override description =
    prose(`Creates the collections that are missing, with schema and permissions, and the documents that are missing, and updates
those that changed there since the last pull or push. Documents get ids of the emulator, and links between them follow. What
changed here stays; what changed on both sides stays and is counted, unless --force takes the service's. Documents that were deleted
there stay, unless --delete deletes them here. Users and files are no part of it.

It shows what it is going to do, and saves a snapshot first: svc undo takes it back.`)
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
      description:
        'write a substitute for this field, as COLLECTION.FIELD; later pulls and pushes of the collection know it',
      helpValue: 'field',
    }),
    unredact: Flags.string({
      multiple: true,
      description:
        'write this field as it is, which an earlier pull redacted, where the collection has no substitutes of it here',
      helpValue: 'field',
    }),
    delete: Flags.boolean({ description: 'delete here what was deleted there' }),
    force: Flags.boolean({ description: "take the service's of what changed on both sides" }),
  }

  protected readonly access = 'read'

  async run() {
    const { argv, flags } = await this.parse(Pull)
    const redacted = readFields('--redact', flags.redact ?? [])
    const unredacted = readFields('--unredact', flags.unredact ?? [])
    return this.withBoth(flags, async (sides, here) => {
      const rules = { isPull: true, redact: redacted, unredact: unredacted }
      const plan = await this.plan(sides, { names: argv.map(String), by: flags.by, ...rules })
      requireKnown(plan.collections, redacted, here)
      requireAbsent(plan.collections, unredacted, here)
      const plans = plan.collections.filter(({ remote }) => remote !== undefined)
      const chosenWorks = plans.map((one) => chosen(one, flags))
      const work = withLinks(chosenWorks, othersHere(chosenWorks, plan))
      const total = this.showPlans(work)
      this.noteRedacted(work, redacted)
      const isNothing = total === 0 && plans.every(({ local }) => local)
      if (isNothing) this.note('There is nothing to pull.')
      else await this.confirm(question(total, new URL(sides.url).host), flags)
      const pull = () => this.follow(total, flags, (followed) => pullAll({ sides, plan, work, unredacted }, followed))
      const command = ['pull', ...argv.map(String)].join(' ')
      const synced = await (isNothing ? pull() : this.undoably(here, command, flags, pull))
      this.showRefused(synced.refused)
      if (!isNothing) this.noteSynced(synced)
      return { url: sides.url, collections: work.map(({ row }) => row), ...synced }
    })
  }

  /** What an earlier pull redacted, and this one redacts without being told. */
  private noteRedacted(work: readonly ChosenWork[], redacted: Fields): void {
    for (const { plan, create } of work) {
      const fields = redactedIn(plan).filter((field) => !redacted.get(plan.name)?.includes(field))
      if (create.length === 0 || fields.length === 0) continue
      this.note(`Substitutes in "${plan.name}", as an earlier pull was told: ${fields.join(', ')}.`)
    }
  }
}

/** By collection, dotted names. */
type Fields = ReadonlyMap<string, readonly string[]>

function question(documents: number, host: string): string {
  if (documents === 0) return `Create the collections of ${host} that are missing here, without documents?`
  return `Write ${counted(documents, 'document')} from ${host} into the emulator?`
}

/** What of a plan is written. A document that was deleted here is there: a pull brings it back. */
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

/** Ids, in documents of the emulator, in whose place a pull writes others. */
function othersHere(work: readonly ChosenWork[], { ids }: SyncPlan): ReadonlySet<string> {
  const created = new Set(work.flatMap(({ create }) => create))
  const toLocal = new Map([...ids].map(([local, remote]) => [remote, local]))
  const others = new Set(created)
  for (const [local, remote] of ids) {
    const now = toLocal.get(remote)
    if (now !== local || created.has(remote)) others.add(local)
    if (now !== remote) others.add(remote)
  }
  return others
}

interface Pulling {
  readonly sides: Sides
  readonly plan: SyncPlan
  readonly work: readonly ChosenWork[]
  readonly unredacted: Fields
}

async function pullAll({ sides, plan, work, unredacted }: Pulling, followed: Followed) {
  for (const { plan: one } of work) {
    if (!one.remote) continue
    forgetRedacted(sides, one.remote, unredacted.get(one.name) ?? [])
    keepRedacted(sides, one.remote, redactedIn(one))
  }
  const works = await openWorks(work, (plan) => createHere(sides, plan))
  const { local, remote, ids } = openSides(sides, plan.ids)
  const synced = await applySync(remote, local, { ...followed, works, ids })
  for (const { pairs } of works) pairs.markPulled()
  return synced
}

async function createHere({ local, url }: Sides, { name, remote }: CollectionPlan) {
  const { id = '', schema = {}, permissions = {} } = remote ?? {}
  const created = await local.collections.create({ name, schema, permissions })
  return openPairs(url, { local: created.id, remote: id })
}

/** @throws {CliFailure} with exit 2 unless each is `COLLECTION.FIELD` */
function readFields(flag: string, texts: readonly string[]): Map<string, string[]> {
  const byCollection = new Map<string, string[]>()
  for (const text of texts) {
    const [name = '', ...path] = text.split('.')
    if (name === '' || path.length === 0 || path.includes('')) {
      throw misuse(`"${text}" names no field of a collection.`, `Write it as COLLECTION.FIELD: ${flag} customers.email`)
    }
    byCollection.set(name, [...(byCollection.get(name) ?? []), path.join('.')])
  }
  return byCollection
}

/** A push would write the substitutes that are here, if it did not know of them. */
function requireAbsent(plans: readonly CollectionPlan[], unredacted: Fields, { url }: { readonly url: string }): void {
  for (const [name, fields] of unredacted) {
    const plan = plans.find((one) => one.name === name)
    if (!plan?.remote) throw misuse(`--unredact names "${name}", which is not pulled.`, 'Is it spelled otherwise?')
    if (!fields.some((field) => plan.substitutes.has(field))) continue
    throw new CliFailure(
      'REDACTED',
      exits.invalid,
      `"${name}" is here with its substitutes. Nothing was done.`,
      deletion(name, url),
    )
  }
}

function deletion(name: string, url: string): string {
  return `Delete it here, and pull it again: svc collections delete ${shellWord(name)}${targetWords({ url })}`
}

/** Nothing that was to be redacted is here already, or is of a collection that is not pulled. */
function requireKnown(plans: readonly CollectionPlan[], redacted: Fields, { url }: { readonly url: string }): void {
  for (const [name, fields] of redacted) {
    const plan = plans.find((one) => one.name === name)
    if (!plan?.remote) throw misuse(`--redact names "${name}", which is not pulled.`, 'Is it spelled otherwise?')
    const { pairs } = plan
    const added = fields.find((field) => pairs && pairs.byLocal.size > 0 && !pairs.redacted.has(field))
    if (added === undefined) continue
    const message = `"${name}" was pulled before with its "${added}". Nothing was done.`
    throw new CliFailure('NOT_REDACTED', exits.invalid, message, deletion(name, url))
  }
}
