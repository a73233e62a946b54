import { resolve } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { backupFlag } from '../../backups/backup-flag.js'
import { undoOfOperations } from '../../backups/undo-lines.js'
import { CliFailure, exits } from '../../base/failure.js'
import type { CommandInput } from '../../base/service-command.js'
import { type Client, lostByChange, TargetCommand } from '../../base/target-command.js'
import { evaluateMigration, type MigrationPreview, readMigration } from '../../bulk/evaluate-migration.js'
import { followOperations } from '../../bulk/follow-operations.js'
import { type KeptOperations, type MigrationFiles, openMigrationFiles } from '../../bulk/migration-files.js'
import { lineColour, previewLines } from '../../bulk/migration-preview.js'
import { type Refusals, refusalLines } from '../../bulk/refusals.js'
import { withReplacingPut } from '../../bulk/replacing-put.js'
import { previewOperations } from '../../bulk/run-operations.js'
import { identifyCollection } from '../../collections/identify.js'
import { documentFields, emptyResultNotes } from '../../documents/empty-result.js'
import { collectionArg } from '../../documents/fields-args.js'
import { conditionFlags, readWhere, type WhereFlags, whereFlags } from '../../documents/where-flag.js'
import { allowCode } from '../../seeds/allow-code.js'
import type { TargetFlags } from '../../target/target.js'
import { onStderr, onStdout } from '../../terminal/colour.js'
import { count, counted } from '../../terminal/print.js'
import { startProgress } from '../../terminal/progress.js'
import { prose } from '../../terminal/prose.js'

interface MigrateFlags extends TargetFlags, WhereFlags {
  readonly backup: boolean
  readonly yes: boolean
  readonly quiet: boolean
}

/** A run of a migration. */
interface Migrating {
  readonly client: Client
  readonly collection: string
  readonly module: string
  readonly files: MigrationFiles
  readonly flags: MigrateFlags
}

export default class DocsMigrate extends TargetCommand {
  static override summary = 'Change documents with a function from a file.'
  static override description = prose(`Calls the default export of the file with each document:

  export default ({ data }) => ({ ...data, views: Number(data.views) })

The function returns the new data. Fields that it leaves out are removed. If it returns undefined, the document stays. It can be async.

Reads all documents first, and writes nothing if the function throws. Then shows some changes and asks; needs --yes without a terminal.
Skips and lists documents that were changed in between. To resume a stopped run, repeat the command. It does not call the function
again.`)
  static override examples = [
    '<%= config.bin %> docs migrate posts migrations/views.ts --dry-run',
    '<%= config.bin %> docs migrate posts migrations/views.ts --where views__isnull=false --yes --json',
  ]
  static override args = {
    collection: collectionArg,
    file: Args.string({ required: true, description: 'module whose default export takes a document' }),
  }
  static override flags = {
    ...whereFlags,
    ...backupFlag,
    'dry-run': Flags.boolean({ description: 'show the changes, and write nothing', exclusive: ['restart'] }),
    restart: Flags.boolean({ description: 'start over instead of resuming a stopped run' }),
  }

  protected readonly access = ({ flags }: CommandInput) => (flags['dry-run'] ? 'read' : 'write')

  async run() {
    const { args, flags } = await this.parse(DocsMigrate)
    const { url, dialect } = this.requireTarget(flags)
    const client = this.client(flags, { dialect: withReplacingPut(dialect) })
    const { id: collectionId } = await identifyCollection(client, args.collection, url)
    const conditions = conditionFlags.flatMap((name) =>
      (flags[name] ?? []).map((condition) => (name === 'where' ? condition : `${name} ${condition}`)),
    )
    const { 'dry-run': isDry, restart } = flags
    const files = await openMigrationFiles({ url, collectionId, module: args.file, conditions }, { isDry, restart })
    const migrating = { client, collection: args.collection, module: args.file, files, flags }
    if (isDry) return this.dryRun(migrating)
    if (files.stopped) return this.goOn(migrating, files.stopped)

    const evaluated = await files.keep((line) => this.evaluate(migrating, line))
    const { input, state, remove, ...preview } = evaluated
    for (const line of previewLines(preview, process.stderr)) this.note(line, lineColour(line, onStderr))
    if (preview.changes > 0) {
      await this.beginWrite(migrating, { input, state, remove }, preview.changes).catch(async (error) => {
        await remove()
        throw error
      })
    }
    return this.carryOut(migrating, { input, state, remove }, preview.changes)
  }

  private async dryRun(migrating: Migrating): Promise<MigrationPreview> {
    const { stopped, underWay } = migrating.files
    const preview = await this.evaluate(migrating, async () => undefined)
    for (const line of previewLines(preview, process.stdout)) this.log(lineColour(line, onStdout)(line))
    if (underWay) this.note(`Process ${underWay.pid} is running this migration.`)
    if (stopped) this.note('An earlier run was stopped. Without --dry-run, the command resumes it.')
    return preview
  }

  private async goOn(migrating: Migrating, kept: KeptOperations) {
    const { operations } = await previewOperations(kept.input, migrating.collection)
    const done = kept.state.found?.done ?? 0
    const where = `after ${count(done)} of ${counted(operations, 'document')}`
    if (!migrating.files.isSame) {
      const message = `"${migrating.module}" or the conditions have changed since the run that was stopped ${where}.`
      const hint =
        'To resume, restore them. To start over, pass --restart; the function then also gets documents that it has changed.'
      throw new CliFailure('STOPPED_BEFORE', exits.invalid, message, hint)
    }
    this.note(`Resuming ${where}.`)
    if (done < operations) await this.beginWrite(migrating, kept, operations - done)
    return this.carryOut(migrating, kept, operations)
  }

  /** Runs the function on all documents, once its folder is trusted. */
  private async evaluate(
    { client, collection: name, module, flags }: Migrating,
    line: (text: string) => Promise<void>,
  ): Promise<MigrationPreview> {
    await allowCode(this.asker(flags))(resolve(module))
    const migration = { ...(await readMigration(module)), target: this.there('') }
    const where = readWhere(flags)
    const collection = client.collection(name)
    const isWanted = !flags.quiet && !this.jsonEnabled()
    const total = isWanted ? await collection.count({ where }) : undefined
    const progress = await startProgress(total, 'document', { isWanted })
    try {
      const read = (documents: number) => progress.at(documents, documents)
      const preview = await evaluateMigration(collection.iterate({ where }), migration, { read, line })
      if (preview.documents === 0)
        await this.noteEmptyResult(() => emptyResultNotes(flags, documentFields(client, name)))
      return preview
    } finally {
      progress.stop()
    }
  }

  private async carryOut(migrating: Migrating, kept: KeptOperations, operations: number) {
    const { client, collection, module, files, flags } = migrating
    const { input, state } = kept
    const before = state.found?.done ?? 0
    const isWanted = !flags.quiet && !this.jsonEnabled()
    let isBegun = false
    const follow = async () => {
      isBegun = true
      await files.removeKept()
      return followOperations(input, {
        ...{ client, collection, state, operations, noun: 'document', isWanted },
        onStopped: (reached) => this.showRefused(reached),
      })
    }
    const command = `docs migrate ${collection} ${module}`
    const isOne = operations - before <= 1
    const work = isOne ? follow() : this.undoably(this.requireTarget(flags), command, flags, follow)
    const result = await work.catch(async (error) => {
      if (!isBegun && !state.found) await kept.remove()
      throw error
    })
    await kept.remove()

    this.showRefused(result)
    const { refused } = result
    const changed = result.accepted.update + result.accepted.replace
    const refusals = result.refusals.map(({ id, code, problem }) => ({ id, code, problem }))
    this.note(`Changed ${counted(changed, 'document')}${refused > 0 ? `, ${count(refused)} refused` : ''}.`)
    if (refused > 0) process.exitCode = exits.invalid
    return { changed, refused, refusals, before }
  }

  private showRefused(refused: Refusals): void {
    for (const words of refusalLines(refused, ({ id }) => id)) this.noteAlways(words)
  }

  /** Asks, and backs up the documents of the remaining operations. */
  private async beginWrite({ client, collection, flags }: Migrating, kept: KeptOperations, changes: number) {
    const what = `Change ${counted(changes, 'document')} of "${collection}"`
    const kind = await this.confirmWrite(flags, what, { isAlwaysAsked: true })
    const lines = undoOfOperations(client, kept.input, collection, kept.state.found?.done ?? 0)
    await this.backUp(kind, flags, { words: `docs migrate ${collection}`, lost: lostByChange, lines })
  }
}
