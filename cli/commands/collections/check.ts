import * as Args from '@oclif/core/args'
import { isHidden } from '../../../types/read-collections.js'
import { exits } from '../../base/failure.js'
import { TargetCommand } from '../../base/target-command.js'
import { type CheckedCollection, checkDocuments } from '../../collections/check-documents.js'
import { chooseCollections } from '../../collections/choose.js'
import { onStderr } from '../../terminal/colour.js'
import { count, counted, table } from '../../terminal/print.js'
import { startProgress } from '../../terminal/progress.js'
import { prose } from '../../terminal/prose.js'
import { shellWord } from '../../terminal/shell-word.js'

export default class CollectionsCheck extends TargetCommand {
  static override summary = 'Find documents that violate the schema of their collection.'
  static override description =
    prose(`A schema only applies to later writes, so existing documents may violate it. A write that sends such a field is refused.
Reads every document, and writes nothing. Exits with 10 if a document violates its schema.`)
  static override examples = [
    '<%= config.bin %> collections check',
    '<%= config.bin %> collections check posts --json',
    '<%= config.bin %> collections check posts || svc docs update posts --where status__isnull=true status=draft',
  ]
  static override usage = 'collections check [COLLECTION...]'
  static override args = {
    collection: Args.string({ multiple: true, description: 'collections to check [default: all with a schema]' }),
  }

  protected readonly access = 'read'

  async run() {
    const { argv, flags } = await this.parse(CollectionsCheck)
    const client = await this.ownerClient(flags)
    const words = argv.map(String)
    const chosen = await chooseCollections(client, words, () => this.seeCollections())
    const withSchema = chosen.filter(({ schema }) => Object.keys(schema).length > 0)
    for (const { name, schema } of chosen) {
      if (words.length === 0 || Object.keys(schema).length > 0) continue
      this.note(`"${name}" has no schema, so any document is valid. ${this.propose(name)}`)
    }
    const collections: CheckedCollection[] = []
    const progress = await startProgress(undefined, 'document', { isWanted: !flags.quiet && !this.jsonEnabled() })
    let read = 0
    try {
      for (const collection of withSchema) {
        const onRead = (documents: number) => progress.at(read + documents, read + documents)
        const checked = await checkDocuments(client.collection(collection.name).iterate(), collection, onRead).catch(
          (error) => {
            if (words.length > 0 || !isHidden(error)) throw error
            progress.stop()
            this.noteAlways(`Skipped "${collection.name}", because you may not read its documents.`, onStderr.yellow)
          },
        )
        if (!checked) continue
        read += checked.documents
        collections.push(checked)
      }
    } finally {
      progress.stop()
    }
    this.print(collections, read)
    if (words.length === 0 && withSchema.length === 0) {
      const [first] = chosen
      this.note(`No collection has a schema.${first ? ` ${this.propose(first.name)}` : ''}`)
    }
    const isValid = collections.every(({ refused }) => refused === 0)
    if (!isValid) process.exitCode = exits.different
    return { isValid, collections }
  }

  private propose(name: string): string {
    return `Infer one: ${this.there(`svc collections schema infer ${shellWord(name)}`)}`
  }

  private print(collections: readonly CheckedCollection[], read: number): void {
    const rows = collections.flatMap(({ name, issues }) =>
      issues.map(({ problem, documents, examples }) => ({
        collection: name,
        problem,
        documents,
        examples: examples.join(' '),
      })),
    )
    if (rows.length > 0) this.log(table(rows))
    const refused = collections.reduce((sum, one) => sum + one.refused, 0)
    if (collections.length === 0) return
    if (refused === 0) this.note(`Checked ${counted(read, 'document')}. All are valid.`)
    else {
      const verb = refused === 1 ? 'violates' : 'violate'
      this.note(`${count(refused)} of ${counted(read, 'document')} ${verb} the schema.`)
      const first = collections.find((one) => one.refused > 0)
      if (first) this.note(`Fix them: ${this.there(suggestFix(first))}`)
    }
  }
}

/** Suggests a command that sets a missing field in all documents, or edits one with a value of the wrong type. */
function suggestFix({ name, issues }: CheckedCollection): string {
  const missing = issues.find(({ type }) => type === 'missing')?.field
  if (missing === undefined) return `svc docs edit ${shellWord(name)} ${shellWord(issues[0]?.examples[0] ?? 'ID')}`
  const [where, to] = [`${missing}__isnull=true`, `${missing}=value`].map(shellWord)
  return `svc docs update ${shellWord(name)} --where ${where} ${to}`
}
