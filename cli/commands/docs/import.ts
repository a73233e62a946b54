import { join } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { readColumnTypes } from '../../../seeds/records/cells.js'
import { expandPaths } from '../../../seeds/records/expand-paths.js'
import { formats, type ImportSource, isReadOnce, openInput } from '../../../seeds/records/input.js'
import { dryRunFlag } from '../../base/dry-run-flag.js'
import { CliFailure, exits, misuse, stoppedBy } from '../../base/failure.js'
import type { CommandInput } from '../../base/service-command.js'
import { keepHeapSmall } from '../../base/small-heap.js'
import { stopSignal } from '../../base/stop-signal.js'
import { TargetCommand } from '../../base/target-command.js'
import { notSaved } from '../../bulk/read-back.js'
import { createIfMissing } from '../../collections/create-if-missing.js'
import { type Identified, identifyCollection } from '../../collections/identify.js'
import { collectionArg } from '../../documents/fields-args.js'
import { readUpsert, upsertFlags } from '../../documents/upsert-flags.js'
import { requirePlace } from '../../files/places.js'
import {
  type ImportProgress,
  type ImportReport,
  importFiles,
  openStates,
  reportLines,
  type States,
  totalBytes,
} from '../../imports/import-files.js'
import { type ImportPlan, planImport } from '../../imports/plan-import.js'
import { openRefusedFile } from '../../imports/refused-file.js'
import { requireKeys } from '../../imports/require-keys.js'
import { openState } from '../../imports/state.js'
import { placeToWrite } from '../../target/no-link.js'
import { recordsFolder } from '../../target/records-folder.js'
import { count, counted } from '../../terminal/print.js'
import { type Progress, startProgress } from '../../terminal/progress.js'
import { prose } from '../../terminal/prose.js'

export default class DocsImport extends TargetCommand {
  static override summary = 'Import documents from JSON, NDJSON or CSV files.'
  static override description = prose(`Reads JSON arrays, NDJSON and CSV of any size, from files or stdin.

Writes refused rows to a file, with their line and the reason, and imports all others. To resume a stopped import of files, repeat the
command. Nothing is created twice. An import from stdin or a pipe cannot be resumed, but prints how many records were imported.

With --upsert, a row updates the document with the same value in the field of --by, or creates one. With --by id, deleted documents are
created with new ids, and counted.`)
  static override examples = [
    '<%= config.bin %> docs import cities cities.json',
    '<%= config.bin %> docs import users "exports/*.csv" --types zip:string --upsert --by email',
    'cat posts.ndjson | <%= config.bin %> docs import posts -',
  ]
  static override usage = 'docs import COLLECTION FILE...'
  static override args = {
    collection: collectionArg,
    file: Args.string({
      multiple: true,
      required: true,
      description: 'files, or patterns such as "data/*.json"; - reads stdin',
    }),
  }
  static override flags = {
    ...upsertFlags,
    format: Flags.option({ options: formats, description: 'input format [default: by the file name]' })(),
    types: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      description: 'types of CSV columns: zip:string,views:integer, or *:string [default: detected]',
      helpValue: 'column:type',
    }),
    delimiter: Flags.string({ description: 'delimiter between CSV cells [default: detected in the header]' }),
    create: Flags.boolean({ description: 'create the collection if it is missing' }),
    refused: Flags.string({
      description:
        'file to write refused rows to, replacing those of an earlier import [default: <collection>.refused.ndjson]',
      helpValue: 'file',
    }),
    restart: Flags.boolean({ description: 'start over instead of resuming a stopped import' }),
    'dry-run': dryRunFlag,
  }

  protected override readonly mayBeEmpty = ['delimiter']

  protected readonly access = ({ flags }: CommandInput) => (flags['dry-run'] ? 'read' : 'write')

  async run() {
    const { args, argv, flags } = await this.parse(DocsImport)
    keepHeapSmall()
    if (flags.delimiter === '')
      throw misuse('--delimiter is empty.', 'Pass the text between two cells, for example --delimiter ";"')
    const { upsertBy, key } = this.chooseUpsert(flags)
    const target = { ...flags, key }
    const types = readColumnTypes(flags.types)
    const inputs = await Promise.all((await expandPaths(argv.slice(1).map(String))).map(openInput))
    const reading = { format: flags.format, types, delimiter: flags.delimiter }
    if (flags['dry-run']) return this.showPlan(await planImport(inputs, reading), args.collection)
    if (flags.refused !== undefined) requirePlace(flags.refused)
    const refused = await openRefusedFile(placeToWrite(flags.refused, `${args.collection}.refused.ndjson`))
    const what = `${upsertBy ? 'Create and change' : 'Create'} documents in "${args.collection}"`
    const client = await this.clientForWrite(target, what)
    if (flags.create) await createIfMissing(client, { name: args.collection })

    // The id distinguishes collections of the same name in different databases.
    const identify = () => identifyCollection(client, args.collection, this.requireTarget(target).url)
    const { id, documentCount } = await identify()
    const openInputState = (input: ImportSource) =>
      openState(join(recordsFolder(), 'imports'), input, [id, upsertBy ?? ''], { restart: flags.restart })
    const states = await openStates(inputs, { openState: openInputState, refused, documentCount })
    await requireKeys(
      this.requireTarget(target),
      [...states.values()].map(({ found }) => found),
    )
    const read = [...states.keys()]
    if (read.length < inputs.length) this.note(`Skipped ${refused.path}, which has the refused rows of this import.`)
    const stop = stopSignal()
    try {
      const options = {
        client,
        collection: args.collection,
        upsertBy,
        read: reading,
        signal: stop.signal,
        refused,
      }
      const isWanted = !flags.quiet && !this.jsonEnabled()
      const follow = async () =>
        this.follow(importFiles(states, options), {
          progress: await startProgress(totalBytes(read), 'document', { isWanted }),
          inputs: read,
        })
      const command = `docs import ${args.collection} --upsert`
      const report = upsertBy ? await this.undoably(this.requireTarget(target), command, flags, follow) : await follow()
      if (report.isWhole) for (const state of states.values()) state.remove()
      for (const line of reportLines(report)) this.note(line)
      if (!report.isWhole) throw interrupted(report, read, stop.exit())
      requireThere(args.collection, { report, states, now: await identify() })
      if (report.refused > 0) process.exitCode = exits.invalid
      return report
    } finally {
      stop.release()
    }
  }

  private chooseUpsert(flags: Parameters<typeof readUpsert>[0]) {
    const { by, key, note } = readUpsert(flags)
    if (flags.upsert && by === undefined) {
      throw misuse('--upsert needs the field that identifies a document.', 'Add --by, for example --upsert --by email')
    }
    if (note) this.note(note)
    return { upsertBy: by, key }
  }

  private showPlan(plan: ImportPlan, collection: string): ImportPlan {
    for (const { file, problems } of plan.files) {
      for (const { line, problem } of problems) this.noteAlways(`${file}:${line} ${problem}`)
    }
    const unreadable = plan.unreadable > 0 ? ` ${counted(plan.unreadable, 'row')} cannot be read.` : ''
    this.note(
      `Would import ${counted(plan.records, 'document')} into "${collection}".${unreadable} Nothing was written.`,
    )
    return plan
  }

  /** Runs an import and shows its progress. */
  private async follow(
    steps: ReturnType<typeof importFiles>,
    { progress, inputs }: { progress: Progress; inputs: readonly ImportSource[] },
  ): Promise<ImportReport> {
    let documents = 0
    let failed: (ImportProgress & { kind: 'failed' }) | undefined
    try {
      let step = await steps.next()
      for (; !step.done; step = await steps.next()) {
        if (step.value.kind === 'advanced') {
          documents = step.value.documents
          progress.at(step.value.bytes, documents)
        } else if (step.value.kind === 'failed') {
          failed = step.value
        } else {
          progress.resume()
          this.note(resumedNote(step.value))
        }
      }
      return step.value
    } catch (error) {
      if (documents === 0 || !inputs.some(isReadOnce)) throw error
      const lacks = failed ? ` ${missingWords(failed)}` : ''
      throw stoppedBy(error, `Imported ${counted(documents, 'document')}.${lacks} ${onceOnly}`)
    } finally {
      progress.stop()
    }
  }
}

function resumedNote({ file, state }: ImportProgress & { kind: 'resumed' }): string {
  const records = counted(state.done, 'record')
  return state.isWhole
    ? `Skipped ${file}, which was imported before: ${records}.`
    : `Resuming ${file} after ${records}.`
}

/** Compares the created documents with the growth of the collection. @throws {CliFailure} `NOT_SAVED` */
function requireThere(
  name: string,
  { report: { files }, states, now: { documentCount } }: { report: ImportReport; states: States; now: Identified },
): void {
  const created = files.reduce((sum, file) => sum + file.created, 0)
  const [before] = [...states.values()].flatMap(({ documentsBefore }) => documentsBefore ?? [])
  if (before === undefined || documentCount === undefined || documentCount - before >= created) return
  const more = Math.max(0, documentCount - before)
  throw notSaved(
    `The service acknowledged ${counted(created, 'new document')}, but "${name}" has ${count(more)} more than before.`,
  )
}

/** Describes the records to check or to send again. */
function missingWords({ file, missing: { between, from } }: ImportProgress & { kind: 'failed' }): string {
  const isOne = between.length === 1 && between.every(([first, last]) => first === last)
  const ranges = between.map(([first, last]) => (first === last ? count(first) : `${count(first)} to ${count(last)}`))
  const maybe = ranges.length === 0 ? [] : [`${isOne ? 'record' : 'records'} ${ranges.join(' and ')} may be missing`]
  const rest = from === undefined ? [] : [`nothing was sent from record ${count(from)} on`]
  return `In ${file}, ${[...maybe, ...rest].join('; ')}.`
}

const onceOnly = 'Stdin and pipes cannot be resumed. The same command would import all records again.'

/** Suggests to resume files. Records that were read from a pipe but not sent are lost. */
function interrupted({ accepted, files }: ImportReport, inputs: readonly ImportSource[], exit: number): CliFailure {
  const reached = `Stopped after ${counted(accepted, 'document')}`
  if (!inputs.slice(0, files.length).some(isReadOnce)) {
    return new CliFailure('INTERRUPTED', exit, `${reached}. Nothing is lost.`, 'To resume, repeat the command.')
  }
  const left = files.flatMap(({ file, accepted, refused, isWhole }) =>
    isWhole ? [] : `; the rest of ${file} was not imported, from record ${count(accepted + refused + 1)} on`,
  )
  return new CliFailure('INTERRUPTED', exit, `${reached}${left.join('')}.`, onceOnly)
}
