import { exits } from '../base/failure.js'
import type { CollectionPlan } from '../sync/compare.js'
import { alsoFlags, byFlag, collectionArgs, SyncCommand, type WholePlan } from '../sync/sync-command.js'
import { table } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'

export default class Diff extends SyncCommand {
  static override summary = 'Compare your emulator with another service.'
  static override description =
    prose(`Counts documents by collection: those that only your emulator has (here), those that only the service has (there), and
those that changed on either side since the last pull or push. Ids may differ. With --users and --files it also counts users, by
email, and stored files, by folder, name and size. Writes nothing. Exits with 10 if anything differs.`)
  static override examples = [
    '<%= config.bin %> diff --profile staging',
    '<%= config.bin %> diff posts authors --profile staging --by slug --json',
  ]
  static override usage = 'diff [COLLECTION...]'
  static override args = collectionArgs
  static override flags = { by: byFlag, ...alsoFlags }

  protected override readonly remembersPairs = false

  protected readonly access = 'read'

  async run() {
    const { argv, flags } = await this.parse(Diff)
    return this.withBoth(flags, async (sides) => {
      const { collections: plans, ...also } = await this.plan(sides, {
        names: argv.map(String),
        by: flags.by,
        also: flags,
      })
      const collections = plans.map(difference)
      const others = compareOthers(also)
      const isSame = plans.every((plan, at) => isEqual(plan, collections[at])) && others.every(isSameOther)
      for (const rows of [collections, others]) if (rows.length > 0) this.log(table(rows))
      this.noteSettings(plans)
      if (isSame) this.note(`The emulator and ${sides.url} hold the same documents.`)
      else process.exitCode = exits.different
      return {
        url: sides.url,
        isSame,
        others,
        collections: plans.map((plan, at) => ({
          ...collections[at],
          ...{ isSchemaSame: plan.isSchemaSame, isHere: plan.local !== undefined, isThere: plan.remote !== undefined },
        })),
      }
    })
  }

  private noteSettings(plans: readonly CollectionPlan[]): void {
    for (const { name, isSchemaSame } of plans) if (!isSchemaSame) this.note(`The schemas of "${name}" differ.`)
    for (const { name, local } of plans.filter(({ local, remote }) => !local || !remote))
      this.note(`Only ${local ? 'the emulator' : 'the service'} has "${name}".`)
  }
}

/** Counts users and files. Files of both sides have the same name and size, so none differs. */
function compareOthers({ users, files }: Pick<WholePlan, 'users' | 'files'>) {
  const rows = {
    users: users && { ...users, same: users.pairs.length - users.differing },
    files: files && { ...files, differing: 0 },
  }
  return Object.entries(rows).flatMap(([also, row]) =>
    row
      ? [
          {
            also,
            same: row.same,
            onlyHere: row.onlyHere.length,
            onlyThere: row.onlyThere.length,
            differing: row.differing,
          },
        ]
      : [],
  )
}

function isSameOther({ onlyHere, onlyThere, differing }: ReturnType<typeof compareOthers>[number]): boolean {
  return onlyHere + onlyThere + differing === 0
}

function difference(plan: CollectionPlan) {
  const { name, same, onlyHere, onlyThere, changedHere, changedThere, conflicts, deletedHere, deletedThere } = plan
  return {
    collection: name,
    same: same.length,
    onlyHere: onlyHere.length,
    onlyThere: onlyThere.length,
    changedHere: changedHere.length,
    changedThere: changedThere.length,
    changedOnBoth: conflicts.length,
    deletedHere: deletedHere.length,
    deletedThere: deletedThere.length,
  }
}

function isEqual(
  { local, remote, isSchemaSame }: CollectionPlan,
  counts: ReturnType<typeof difference> | undefined,
): boolean {
  if (!counts || !isSchemaSame || !local !== !remote) return false
  const { collection: _, same: __, ...different } = counts
  return Object.values(different).every((number) => number === 0)
}
