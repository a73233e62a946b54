import * as Flags from '@oclif/core/flags'
import type { Document } from '../../../client/protocol/model/document.js'
import { namedOperators } from '../../../client/protocol/model/operator-kinds.js'
import { safeDescription } from '../../../seeds/records/cells.js'
import { type Client, TargetCommand } from '../../base/target-command.js'
import { inSchemaOrder, readSchemaIfShown } from '../../collections/schema-order.js'
import { documentFields, emptyResultNotes } from '../../documents/empty-result.js'
import { collectionArg } from '../../documents/fields-args.js'
import {
  endOfItems,
  layoutOfAll,
  listFormats,
  missingColumns,
  namesOfAll,
  printDocuments,
} from '../../documents/list-documents.js'
import { countPage } from '../../documents/told-count.js'
import { populateFlag, readSort, readWhere, selectFlag, sortFlag, whereFlags } from '../../documents/where-flag.js'
import { pageLimitFlag } from '../../terminal/limit-flag.js'
import { counted, pageNote } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

const suffixes = namedOperators.map((operator) => `__${operator}`).join(', ')

export default class DocsList extends TargetCommand {
  static override hiddenAliases = ['docs:ls']
  static override summary = 'List the documents in a collection.'
  static override description = prose(`Lists a page of documents, newest first. --all lists all of them.

Conditions have a field and, after two underscores, a comparison: ${suffixes}. Use __eq if the name of the field ends with one of these. Use dots for nested and
populated fields, for example author.name. --not excludes what matches a condition.

Tables cut long values, and show linked documents by title or id. --json has everything.`)
  static override examples = [
    '<%= config.bin %> docs list posts',
    '<%= config.bin %> docs list posts --where status=published --where views__gte=100 --sort -views --limit 5',
    '<%= config.bin %> docs list posts --or featured=true --or pinned=true --populate author --columns title,author',
    '<%= config.bin %> docs list posts --not status=draft --exists publishedAt --sort -views,title --select title,views',
    '<%= config.bin %> docs list posts --all --format csv > posts.csv',
  ]
  static override args = { collection: collectionArg }
  static override flags = {
    ...whereFlags,
    sort: sortFlag,
    limit: pageLimitFlag('documents'),
    offset: Flags.integer({ min: 0, description: 'number of documents to skip' }),
    all: Flags.boolean({ description: 'list all documents', exclusive: ['limit', 'offset'] }),
    populate: populateFlag,
    select: selectFlag,
    count: Flags.boolean({ allowNo: true, default: true, description: 'count all matching documents' }),
    columns: Flags.string({
      aliases: ['fields'],
      delimiter: ',',
      multiple: true,
      multipleNonGreedy: true,
      description: 'fields to show, in this order',
    }),
    format: Flags.option({ options: listFormats, default: 'table', description: 'output format' })(),
    safe: Flags.boolean({ description: safeDescription }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(DocsList)
    const client = await this.ownerClient(flags)
    const collection = client.collection(args.collection)
    const noteEmpty = () =>
      this.noteEmptyResult(() => emptyResultNotes(flags, documentFields(client, args.collection), flags.populate))
    const { populate, select } = flags
    const query = { where: readWhere(flags), sort: readSort(flags.sort), populate, select }
    if (flags.all) {
      const printed = await this.printAll(
        () => collection.iterate(query),
        flags,
        (read) => this.csvColumns(client, args.collection, flags.format, read),
      )
      if (printed === 0) await noteEmpty()
      return
    }

    const read = await collection.list({ ...query, limit: flags.limit, offset: flags.offset, count: flags.count })
    const page = { ...read, total: flags.count ? await countPage(read, collection, query) : read.total }
    if (this.jsonEnabled()) return page
    if (page.items.length > 0) {
      const columns = flags.columns ?? (await this.csvColumns(client, args.collection, flags.format, page.items))
      await printDocuments(page.items, flags.format, { columns, isSafe: flags.safe })
    }
    this.note(pageNote(page, 'document'))
    this.noteCut(page, flags.limit)
    const sorted = select ? [] : query.sort.map(({ path: [field] }) => field)
    const missing = missingColumns(page.items, [...(flags.columns ?? []), ...sorted])
    if (missing) this.note(missing)
    if (page.items.length === 0 && page.offset === 0) await noteEmpty()
    return page
  }

  /** Returns the id, the fields of the schema in its order, other fields, and the times. */
  private async csvColumns(
    client: Client,
    name: string,
    format: (typeof listFormats)[number],
    documents: AsyncIterable<Document> | Iterable<Document>,
  ): Promise<string[] | undefined> {
    if (format !== 'csv') return undefined
    const [id, ...names] = await namesOfAll(documents)
    if (id === undefined) return []
    return [id, ...inSchemaOrder(names, await readSchemaIfShown(client, name))]
  }

  /** Prints while it reads, and reads twice if the columns must be known first. */
  private async printAll(
    read: () => AsyncIterable<Document>,
    { format, columns, safe }: { format: (typeof listFormats)[number]; columns?: string[]; safe: boolean },
    columnsOf: (documents: AsyncIterable<Document>) => Promise<string[] | undefined>,
  ): Promise<number> {
    const form = this.jsonEnabled() ? 'json' : format
    const names = columns ?? (form === 'csv' ? await columnsOf(read()) : undefined)
    const layout = form === 'table' ? await layoutOfAll(read(), columns) : undefined
    const onBegun = () => {
      if (form === 'json') this.afterMember = endOfItems
    }
    const printed = await printDocuments(read(), form, { columns: names, isSafe: safe, layout, onBegun })
    this.note(counted(printed, 'document'))
    return printed
  }
}
