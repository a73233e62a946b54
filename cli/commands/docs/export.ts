import * as Flags from '@oclif/core/flags'
import { safeDescription } from '../../../seeds/records/cells.js'
import { CliFailure, exits } from '../../base/failure.js'
import { keepHeapSmall } from '../../base/small-heap.js'
import { stopSignal } from '../../base/stop-signal.js'
import { TargetCommand } from '../../base/target-command.js'
import { identifyCollection } from '../../collections/identify.js'
import { inSchemaOrder } from '../../collections/schema-order.js'
import { documentFields, emptyResultNotes } from '../../documents/empty-result.js'
import { collectionArg } from '../../documents/fields-args.js'
import { withLargePages } from '../../documents/large-pages.js'
import { readWhere, whereFlags } from '../../documents/where-flag.js'
import { exportDocuments, fieldNamesOfAll } from '../../exports/export-documents.js'
import { exportFormat, openExportFile } from '../../exports/export-file.js'
import { exportFormats } from '../../exports/format-documents.js'
import { fileNamed } from '../../files/places.js'
import { count, counted } from '../../terminal/print.js'
import { duration, startProgress } from '../../terminal/progress.js'
import { prose } from '../../terminal/prose.js'

export default class DocsExport extends TargetCommand {
  static override summary = 'Export documents to a file or to stdout.'
  static override description =
    prose(`Exports each document exactly once, oldest first, even while others write. svc docs import restores the same documents from
JSON and NDJSON. CSV cells have no type: import reads 42, true or [1] as numbers, booleans and arrays, unless you pass --types, for
example code:string. It skips empty cells. --with-ids writes ids for import --upsert --by id, in place of a field called id.

Writes to <file>.part first, so the file is always complete. To resume a stopped export, repeat the command.`)
  static override examples = [
    '<%= config.bin %> docs export posts --out posts.ndjson',
    '<%= config.bin %> docs export posts --format csv --where status=published --columns title,views > posts.csv',
  ]
  static override args = { collection: collectionArg }
  static override flags = {
    ...whereFlags,
    out: Flags.string({ char: 'o', description: 'file to write [default: -, which is stdout]', helpValue: 'file' }),
    format: Flags.option({
      options: exportFormats,
      description: 'output format [default: by the file extension, else ndjson]',
    })(),
    columns: Flags.string({
      aliases: ['fields'],
      delimiter: ',',
      multiple: true,
      multipleNonGreedy: true,
      description: 'fields to write, in this order [default: all; those of the schema first, in CSV]',
    }),
    'with-ids': Flags.boolean({ description: 'include the id of each document' }),
    safe: Flags.boolean({ description: safeDescription }),
    restart: Flags.boolean({ description: 'start over instead of resuming a stopped export' }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(DocsExport)
    const out = fileNamed(flags.out)
    if (this.jsonEnabled() && out === undefined) {
      throw new CliFailure(
        'MISUSE',
        exits.misuse,
        '--json cannot be combined with output to stdout.',
        'Write to a file: --out posts.ndjson',
      )
    }
    keepHeapSmall()
    const client = await this.ownerClient(flags, { dialect: withLargePages(this.requireTarget(flags).dialect) })
    const collection = client.collection(args.collection)
    const where = readWhere(flags)
    const { total } = await collection.list({ where, limit: 1 })
    const format = exportFormat({ format: flags.format, out })
    // The id distinguishes collections of the same name in different services.
    const { id, schema } = await identifyCollection(client, args.collection, this.requireTarget(flags).url)
    const file = await openExportFile({
      path: out,
      format,
      columns:
        flags.columns ??
        (format === 'csv' ? inSchemaOrder(await fieldNamesOfAll(collection, where), schema) : undefined),
      withIds: flags['with-ids'],
      isSafe: flags.safe,
      restart: flags.restart,
      question: [id, flags.as ?? '', JSON.stringify(where)],
    })
    const stop = stopSignal()
    const isWatched = !flags.quiet && !this.jsonEnabled() && (out !== undefined || !process.stdout.isTTY)
    const progress = await startProgress(total ?? undefined, 'document', { isWanted: isWatched })
    if (file.resumed > 0) {
      progress.resume()
      this.note(`Resuming after ${counted(file.resumed, 'document')}.`)
    }
    const begunAt = performance.now()
    try {
      const exported = await exportDocuments(collection, where, file, { progress, signal: stop.signal })
      progress.stop()
      const seconds = (performance.now() - begunAt) / 1000
      if (stop.signal.aborted) throw interrupted(exported, out, stop.exit())
      await file.finish()
      const rate = count(Math.round((exported - file.resumed) / Math.max(seconds, 0.001)))
      if (exported === 0)
        await this.noteEmptyResult(() => emptyResultNotes(flags, documentFields(client, args.collection)))
      this.note(`Exported ${counted(exported, 'document')} in ${duration(seconds)} (${rate}/s).`)
      return out === undefined ? undefined : { exported, file: out, seconds }
    } finally {
      progress.stop()
      stop.release()
    }
  }
}

function interrupted(exported: number, out: string | undefined, exit: number): CliFailure {
  const hint = out === undefined ? undefined : 'To resume, repeat the command.'
  return new CliFailure('INTERRUPTED', exit, `Stopped after ${counted(exported, 'document')}.`, hint)
}
