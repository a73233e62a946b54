import { join } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { CliFailure, exits, misuse } from '../../base/failure.js'
import { keepHeapSmall } from '../../base/small-heap.js'
import { type Client, TargetCommand } from '../../base/target-command.js'
import { collectionArg } from '../../documents/fields-args.js'
import { readUpsert, upsertFlags } from '../../documents/upsert-flags.js'
import { expandPaths } from '../../glob.js'
import { type ImportReport, importFiles, reportLines, sizeOf } from '../../imports/import-files.js'
import { openRefusedFile } from '../../imports/refused-file.js'
import { openState } from '../../imports/state.js'
import { stopSignal } from '../../imports/stop-signal.js'
import { readColumnTypes } from '../../records/cells.js'
import { formats, openInput } from '../../records/input.js'
import { configFolder } from '../../target/profiles.js'
import { counted } from '../../terminal/print.js'
import { startProgress } from '../../terminal/progress.js'
import { prose } from '../../terminal/prose.js'

export default class DocsImport extends TargetCommand {
  static override summary = 'Create documents from JSON, NDJSON or CSV files.'
  static override description =
    prose(`Reads JSON arrays, NDJSON and CSV, from files or stdin, of any size, and sends them in large requests.

Rows that the service refuses are written to a file, with their line and the reason; all others go in. An
import that was stopped goes on where it stopped when the same command is given again: nothing is created twice.
With --upsert, a row changes the document that has the row's value in the field of --by, and creates one where there is
none.`)
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
    format: Flags.option({ options: formats, description: 'what the input holds [default: by its name]' })(),
    types: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      description: 'how columns of CSV are read: zip:string,views:integer, or *:string [default: by their looks]',
      helpValue: 'column:type',
    }),
    delimiter: Flags.string({ description: 'between cells of CSV [default: by the header]' }),
    create: Flags.boolean({ description: 'create the collection if there is none' }),
    refused: Flags.string({
      description: 'file for refused rows [default: <collection>.refused.ndjson]',
      helpValue: 'file',
    }),
    restart: Flags.boolean({ description: 'begin anew, although an earlier import was stopped' }),
  }

  async run() {
    const { args, argv, flags } = await this.parse(DocsImport)
    keepHeapSmall()
    if (flags.delimiter === '') throw misuse('--delimiter takes what stands between two cells, such as ";".')
    const { by: upsertBy, key, note } = readUpsert(flags)
    if (flags.upsert && upsertBy === undefined) {
      throw misuse('--upsert needs the field by which documents are known.', 'Name it: --upsert --by email')
    }
    if (note) this.note(note)
    const target = { ...flags, key }
    const types = readColumnTypes(flags.types)
    const inputs = await Promise.all((await expandPaths(argv.slice(1).map(String))).map(openInput))
    const what = `${upsertBy ? 'Create and change' : 'Create'} documents in "${args.collection}"`
    const client = await this.clientForWrite(target, what)
    if (flags.create) await createIfMissing(client, args.collection)

    // The id tells a collection from one of the same name in a fresh database.
    const { id } = await client.collections.get(args.collection)
    const stop = stopSignal()
    const isWatched = !flags.quiet && !this.jsonEnabled()
    const refused = openRefusedFile(flags.refused ?? `${args.collection}.refused.ndjson`)
    try {
      const report = await importFiles(inputs, {
        client,
        collection: args.collection,
        upsertBy,
        restart: flags.restart,
        read: { format: flags.format, types, delimiter: flags.delimiter },
        openState: (input) => openState(join(configFolder(), 'imports'), input, [id, upsertBy ?? '']),
        signal: stop.signal,
        refused,
        progress: await startProgress(sizeOf(inputs), 'document', { isWanted: isWatched }),
        onResume: (file, { done, isWhole }) =>
          this.note(
            isWhole
              ? `${file} was imported before the stop: ${counted(done, 'record')}`
              : `going on in ${file} after ${counted(done, 'record')}`,
          ),
      })
      for (const line of reportLines(report)) this.note(line)
      if (!report.isWhole) throw interrupted(report, stop.name())
      if (report.refused > 0) process.exitCode = exits.invalid
      return report
    } finally {
      stop.release()
    }
  }
}

async function createIfMissing(client: Client, name: string): Promise<void> {
  await client.collections.create({ name }).catch((error) => {
    if (!(error instanceof SvcError) || error.code !== 'COLLECTION_EXISTS') throw error
  })
}

function interrupted({ accepted }: ImportReport, signal: NodeJS.Signals | undefined): CliFailure {
  const exit = signal === 'SIGTERM' ? exits.terminated : exits.interrupted
  const message = `Stopped after ${counted(accepted, 'document')}; nothing is lost.`
  return new CliFailure('INTERRUPTED', exit, message, 'Give the same command again to go on.')
}
