import { join } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { type ImportSource, isReadOnce, openInput } from '../../../seeds/records/input.js'
import { backupFlag } from '../../backups/backup-flag.js'
import { undoOfOperations } from '../../backups/undo-lines.js'
import { CliFailure, exits, misuse, undefinedIfMissing } from '../../base/failure.js'
import { type Client, lostByChange, lostByDeletion, TargetCommand } from '../../base/target-command.js'
import { followOperations } from '../../bulk/follow-operations.js'
import type { BadLine } from '../../bulk/operations.js'
import { refusalLines } from '../../bulk/refusals.js'
import { withReplacingPut } from '../../bulk/replacing-put.js'
import { type Preview, previewOperations } from '../../bulk/run-operations.js'
import { identifyCollection } from '../../collections/identify.js'
import { missingHint } from '../../collections/missing-hint.js'
import { requireKeys } from '../../imports/require-keys.js'
import { openState } from '../../imports/state.js'
import { recordsFolder } from '../../target/records-folder.js'
import { count, counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class DocsBatch extends TargetCommand {
  static override summary = 'Create, change and delete documents from a file of operations.'
  static override description = prose(`Each line of the file is one operation:

  {"op": "create", "collection": "posts", "data": {"title": "Hello"}}
  {"op": "update", "collection": "posts", "id": "01999999-…", "data": {"status": "published"}}
  {"op": "replace", "collection": "posts", "id": "01999999-…", "data": {"title": "Hello again"}}
  {"op": "delete", "collection": "posts", "id": "01999999-…"}

Lines without a collection use COLLECTION. An update, replace or delete can have the expected fields in "was", and is refused if
they have changed. A create can have the id of a document in "unless", and is skipped while that document exists.

Reads the whole file first, and does nothing if a line is invalid. Then shows the number of operations and asks; needs --yes without a
terminal. Stops if the file changes in between. Lists refused operations with their lines, and carries out all others. Operations on the
same document run in order. To resume a stopped run, repeat the command.`)
  static override examples = [
    '<%= config.bin %> docs batch -f ops.ndjson',
    '<%= config.bin %> docs batch posts -f ops.ndjson --yes --json',
  ]
  static override args = {
    collection: Args.string({ description: 'collection of lines without one' }),
  }
  static override flags = {
    ...backupFlag,
    file: Flags.string({
      char: 'f',
      required: true,
      description: 'NDJSON file with an operation per line',
      helpValue: 'file',
    }),
    restart: Flags.boolean({ description: 'start over instead of resuming a stopped run' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(DocsBatch)
    const input = await openInput(flags.file)
    // The file is read twice, but a pipe only once.
    if (isReadOnce(input))
      throw misuse(
        'The operations cannot come from stdin or a pipe, because the file is read twice.',
        'Use a file: -f ops.ndjson',
      )
    const preview = await previewOperations(input, args.collection)
    if (preview.bad.length > 0) throw this.unreadable(input, preview.bad)
    if (preview.operations === 0) throw new CliFailure('EMPTY', exits.invalid, `${input.name} has no operations.`)
    const target = this.requireTarget(flags)
    const client = this.client(flags, { dialect: withReplacingPut(target.dialect) })
    const { url } = target
    const into = await collectionIds(client, { input, preview, url, target: this.there('') })
    const state = await openState(join(recordsFolder(), 'batches'), input, [url, ...into], { restart: flags.restart })
    if (preview.counts.create > 0) await requireKeys(target, [state.found])
    const before = state.found?.done ?? 0
    if (before > 0) this.note(`Resuming after ${counted(before, 'operation')}.`)
    if (before < preview.operations) {
      const kind = await this.confirmWrite(flags, describeCounts(preview), { isAlwaysAsked: true })
      const lines = undoOfOperations(client, input, args.collection, before)
      const lost = preview.counts.delete > 0 ? lostByDeletion : lostByChange
      await this.backUp(kind, flags, { words: 'docs batch', lost, lines })
    }

    const isWanted = !flags.quiet && !this.jsonEnabled()
    const { operations, counts } = preview
    const show = (lines: Lines) => this.showLines(input, lines)
    const follow = () =>
      followOperations(input, {
        ...{ client, collection: args.collection, state, operations, noun: 'operation', isWanted },
        onStopped: show,
      })
    const isDestroying = operations - Math.max(before, counts.create) > 1
    const result = isDestroying
      ? await this.undoably(target, `docs batch -f ${input.name}`, flags, follow)
      : await follow()
    state.remove()
    show(result)
    const { create: created, update: updated, replace: replaced, delete: deleted } = result.accepted
    const refusals = result.refusals.map(({ line, problem }) => ({ line, problem }))
    const report = { created, updated, replaced, deleted, refused: result.refused, refusals, before }
    this.note(
      `${count(created)} created, ${count(updated + replaced)} changed, ${count(deleted)} deleted, ${count(report.refused)} refused.`,
    )
    if (report.refused > 0) process.exitCode = exits.invalid
    return report
  }

  private showLines({ name }: ImportSource, lines: Lines): void {
    for (const words of refusalLines(lines, ({ line }) => `${name}:${line}`)) this.noteAlways(words)
  }

  private unreadable(input: ImportSource, bad: readonly BadLine[]): CliFailure {
    this.showLines(input, { refused: bad.length, refusals: bad })
    const [first] = bad
    const message = `${counted(bad.length, 'line')} cannot be read, the first is line ${first?.line}: ${first?.problem}. Nothing was done.`
    return new CliFailure('INVALID_BODY', exits.invalid, message, 'Show the format: svc docs batch --help')
  }
}

interface Lines {
  readonly refused: number
  readonly refusals: readonly BadLine[]
}

/** Returns ids, because a fresh database may have collections of the same names. @throws {CliFailure} for a missing collection */
async function collectionIds(
  client: Client,
  { input, preview, url, target }: { input: ImportSource; preview: Preview; url: string; target: string },
): Promise<string[]> {
  const ids: string[] = []
  for (const [collection, line] of preview.collections) {
    const found = await identifyCollection(client, collection, url).catch(undefinedIfMissing)
    if (!found) {
      const message = `No collection "${collection}" (${input.name}:${line}). Nothing was done.`
      throw new CliFailure('NOT_FOUND', exits.notFound, message, missingHint(collection, { target }))
    }
    ids.push(found.id)
  }
  return ids.sort()
}

function describeCounts({ counts, collections }: Preview): string {
  const parts = [
    ...(counts.create > 0 ? [`create ${counted(counts.create, 'document')}`] : []),
    ...(counts.update > 0 ? [`change ${counted(counts.update, 'document')}`] : []),
    ...(counts.replace > 0 ? [`replace ${counted(counts.replace, 'document')}`] : []),
    ...(counts.delete > 0 ? [`delete ${counted(counts.delete, 'document')}`] : []),
  ]
  const words = `${parts.join(', ')} in ${[...collections.keys()].map((name) => `"${name}"`).join(', ')}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}
