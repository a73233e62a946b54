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
  static override summary = 'Create, change and delete many documents, as a file says line by line.'
  static override description = prose(`Each line of the file is one operation:

  {"op": "create", "collection": "posts", "data": {"title": "Hello"}}
  {"op": "update", "collection": "posts", "id": "01999999-…", "data": {"status": "published"}}
  {"op": "replace", "collection": "posts", "id": "01999999-…", "data": {"title": "Hello again"}}
  {"op": "delete", "collection": "posts", "id": "01999999-…"}

A line without a collection is about COLLECTION. One that changes, replaces or deletes may say what the document "was" (the fields
that it changes, or all that it replaces or deletes), and is refused if they have been changed since. One that creates may name a document with
"unless", and is left out while that document is there. The whole file is read first, and
nothing is done where a line cannot be read. Then the operations are counted and asked about; without a terminal --yes is
needed. Of a file that is changed meanwhile, nothing more is carried out. Operations that the service refuses are listed
with their lines, and all others are carried out, those about one document in their order. What was stopped goes on when the
same command is given again.`)
  static override examples = [
    '<%= config.bin %> docs batch -f ops.ndjson',
    '<%= config.bin %> docs batch posts -f ops.ndjson --yes --json',
  ]
  static override args = {
    collection: Args.string({ description: 'collection of lines that name none' }),
  }
  static override flags = {
    ...backupFlag,
    file: Flags.string({
      char: 'f',
      required: true,
      description: 'an operation on each line, as NDJSON',
      helpValue: 'file',
    }),
    restart: Flags.boolean({ description: 'start over, although an earlier run was stopped' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(DocsBatch)
    const input = await openInput(flags.file)
    // A pipe would be empty the second time.
    if (isReadOnce(input))
      throw misuse('The file is read twice, so it cannot be stdin or a pipe.', 'Give its name: -f ops.ndjson')
    const preview = await previewOperations(input, args.collection)
    if (preview.bad.length > 0) throw this.unreadable(input, preview.bad)
    if (preview.operations === 0) throw new CliFailure('EMPTY', exits.invalid, `${input.name} holds no operations.`)
    const target = this.requireTarget(flags)
    const client = this.client(flags, { dialect: withReplacingPut(target.dialect) })
    const { url } = target
    const into = await collectionIds(client, { input, preview, url, target: this.there('') })
    const state = await openState(join(recordsFolder(), 'batches'), input, [url, ...into], { restart: flags.restart })
    if (preview.counts.create > 0) await requireKeys(target, [state.found])
    const before = state.found?.done ?? 0
    if (before > 0) this.note(`going on after ${counted(before, 'operation')}`)
    if (before < preview.operations) {
      const kind = await this.confirmWrite(flags, wordsOf(preview), { isAlwaysAsked: true })
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
    return new CliFailure('INVALID_BODY', exits.invalid, message, 'See what a line says: svc docs batch --help')
  }
}

interface Lines {
  readonly refused: number
  readonly refusals: readonly BadLine[]
}

/** Ids, since a fresh database may have collections of the same names. @throws {CliFailure} if there is no such collection */
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

function wordsOf({ counts, collections }: Preview): string {
  const parts = [
    ...(counts.create > 0 ? [`create ${counted(counts.create, 'document')}`] : []),
    ...(counts.update > 0 ? [`change ${counted(counts.update, 'document')}`] : []),
    ...(counts.replace > 0 ? [`replace ${counted(counts.replace, 'document')}`] : []),
    ...(counts.delete > 0 ? [`delete ${counted(counts.delete, 'document')}`] : []),
  ]
  const words = `${parts.join(', ')} in ${[...collections.keys()].map((name) => `"${name}"`).join(', ')}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}
