import { join } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { type ImportSource, openInput } from '../../../seeds/records/input.js'
import { CliFailure, exits, misuse, reworded } from '../../base/failure.js'
import { stopSignal } from '../../base/stop-signal.js'
import { type Client, TargetCommand } from '../../base/target-command.js'
import type { BadLine } from '../../bulk/operations.js'
import { type Preview, previewOperations, type RunResult, runOperations } from '../../bulk/run-operations.js'
import { openState } from '../../imports/state.js'
import { configFolder } from '../../target/profiles.js'
import type { TargetFlags } from '../../target/target.js'
import { count, counted } from '../../terminal/print.js'
import { startProgress } from '../../terminal/progress.js'
import { prose } from '../../terminal/prose.js'

const mostShown = 20

export default class DocsBatch extends TargetCommand {
  static override summary = 'Create, change and delete many documents, as a file says line by line.'
  static override description = prose(`Each line of the file is one operation:

  {"op": "create", "collection": "posts", "data": {"title": "Hello"}}
  {"op": "update", "collection": "posts", "id": "01999999-…", "data": {"status": "published"}}
  {"op": "delete", "collection": "posts", "id": "01999999-…"}

A line without a collection is about COLLECTION. The whole file is read first, and nothing is done where a line cannot be
read. Then the operations are counted and asked about; without a terminal --yes is needed. Operations that the service
refuses are listed with their lines, and all others are carried out, those about one document in their order. What was
stopped goes on when the same command is given again.`)
  static override examples = [
    '<%= config.bin %> docs batch -f ops.ndjson',
    '<%= config.bin %> docs batch posts -f ops.ndjson --yes --json',
  ]
  static override args = {
    collection: Args.string({ description: 'collection of lines that name none' }),
  }
  static override flags = {
    file: Flags.string({
      char: 'f',
      required: true,
      description: 'an operation on each line, as NDJSON',
      helpValue: 'file',
    }),
    restart: Flags.boolean({ description: 'begin anew, although an earlier run was stopped' }),
  }

  async run() {
    const { args, flags } = await this.parse(DocsBatch)
    if (flags.file === '-')
      throw misuse('The file is read twice, so it cannot be stdin.', 'Give its name: -f ops.ndjson')
    const input = await openInput(flags.file)
    const preview = await previewOperations(input, args.collection)
    if (preview.bad.length > 0) throw this.unreadable(input, preview.bad)
    if (preview.operations === 0) throw new CliFailure('EMPTY', exits.invalid, `${input.name} holds no operations.`)
    const client = this.client(flags)
    const into = await collectionIds(client, input, preview)
    const target = this.requireTarget(flags)
    const { url } = target
    const state = await openState(join(configFolder(), 'batches'), input, [url, ...into], { restart: flags.restart })
    const before = state.found?.done ?? 0
    if (before > 0) this.note(`going on after ${counted(before, 'operation')}`)
    await this.confirm(`${wordsOf(preview)} on ${new URL(url).host}?`, flags)

    const follow = () => this.follow(input, { args, flags, client, state, preview })
    const isDestroying = preview.counts.update + preview.counts.delete > 1
    const result = isDestroying
      ? await this.undoably(target, `docs batch -f ${input.name}`, flags, follow)
      : await follow()
    this.showLines(input, result.refused)
    const { create: created, update: updated, delete: deleted } = result.accepted
    const report = { created, updated, deleted, refused: result.refused.length, refusals: result.refused, before }
    this.note(
      `${count(created)} created, ${count(updated)} changed, ${count(deleted)} deleted, ${count(report.refused)} refused.`,
    )
    if (report.refused > 0) process.exitCode = exits.invalid
    return report
  }

  private showLines({ name }: ImportSource, lines: readonly BadLine[]): void {
    for (const { line, problem } of lines.slice(0, mostShown)) this.noteAlways(`${name}:${line}  ${problem}`)
    if (lines.length > mostShown) this.noteAlways(`… and ${count(lines.length - mostShown)} more`)
  }

  private unreadable(input: ImportSource, bad: readonly BadLine[]): CliFailure {
    this.showLines(input, bad)
    const [first] = bad
    const message = `${counted(bad.length, 'line')} cannot be read, the first is line ${first?.line}: ${first?.problem}. Nothing was done.`
    return new CliFailure('INVALID_BODY', exits.invalid, message, 'See what a line says: svc docs batch --help')
  }

  /** Carries the operations out, and says how far it came where it does not come to the end. */
  private async follow(input: ImportSource, { args, flags, client, state, preview }: Following): Promise<RunResult> {
    const isWanted = !flags.quiet && !this.jsonEnabled()
    const progress = await startProgress(preview.operations, 'operation', { isWanted })
    const stop = stopSignal()
    let done = state.found?.done ?? 0
    if (done > 0) progress.resume()
    const onDone = (now: number) => {
      done = now
      progress.at(done, done)
    }
    const reached = () => `${count(done)} of ${counted(preview.operations, 'operation')} are dealt with`
    try {
      const { collection } = args
      const result = await runOperations(input, { client, collection, state, signal: stop.signal, onDone })
      if (result.isWhole) return result
      const exit = stop.name() === 'SIGTERM' ? exits.terminated : exits.interrupted
      throw new CliFailure('INTERRUPTED', exit, `Stopped; ${reached()}.`, 'Give the same command again to go on.')
    } catch (error) {
      if (error instanceof CliFailure) throw error
      throw reworded(error, ({ message }) => ({
        message: `${message} ${reached()}.`,
        hint: 'Give the same command again to go on.',
      }))
    } finally {
      progress.stop()
      stop.release()
    }
  }
}

interface Following {
  readonly args: { readonly collection?: string | undefined }
  readonly flags: TargetFlags & { readonly quiet: boolean }
  readonly client: Client
  readonly state: Awaited<ReturnType<typeof openState>>
  readonly preview: Preview
}

/** Ids, since a fresh database may have collections of the same names. @throws {CliFailure} if there is no such collection */
async function collectionIds(client: Client, { name }: ImportSource, { collections }: Preview): Promise<string[]> {
  const ids: string[] = []
  for (const [collection, line] of collections) {
    const found = await client.collections.get(collection).catch((error) => {
      if (!(error instanceof SvcError) || error.code !== 'NOT_FOUND') throw error
      const message = `No collection "${collection}" (${name}:${line}). Nothing was done.`
      throw new CliFailure('NOT_FOUND', exits.notFound, message, `Create it: svc collections create ${collection}`)
    })
    ids.push(found.id)
  }
  return ids.sort()
}

function wordsOf({ counts, collections }: Preview): string {
  const parts = [
    ...(counts.create > 0 ? [`create ${counted(counts.create, 'document')}`] : []),
    ...(counts.update > 0 ? [`change ${counted(counts.update, 'document')}`] : []),
    ...(counts.delete > 0 ? [`delete ${counted(counts.delete, 'document')}`] : []),
  ]
  const words = `${parts.join(', ')} in ${[...collections.keys()].map((name) => `"${name}"`).join(', ')}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}
