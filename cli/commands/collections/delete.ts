import type { CountedCollection } from '../../../client/index.js'
import { newBackupPlace, shownPath, writeBackup, writing } from '../../backups/backup-file.js'
import { backupFlag } from '../../backups/backup-flag.js'
import { settledDocuments } from '../../backups/settled-documents.js'
import { undoOfDeletion } from '../../backups/undo-lines.js'
import { dryRunFlag } from '../../base/dry-run-flag.js'
import { refusedForPath } from '../../base/foreign-answer.js'
import type { CommandInput } from '../../base/service-command.js'
import { type Client, lostByDeletion, TargetCommand } from '../../base/target-command.js'
import { identifyCollection } from '../../collections/identify.js'
import { findDependants, formatDependants, formatPlan, planDeletion } from '../../documents/dependants.js'
import { collectionArg } from '../../documents/fields-args.js'
import { withLargePages } from '../../documents/large-pages.js'
import { writeLines } from '../../files/write-lines.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { shellWord } from '../../terminal/shell-word.js'

/** A collection as far as the service shows it. A deployed service shows only its name. */
type Shown = Pick<CountedCollection, 'name' | 'documentCount'> & Partial<CountedCollection>

export default class CollectionsDelete extends TargetCommand {
  static override hiddenAliases = ['collections:rm']
  static override summary = 'Delete a collection with all its documents.'
  static override description =
    prose(`Asks first; needs --yes without a terminal. On the emulator of this folder, the command first says how many documents link to the
collection, and svc undo restores it.`)
  static override examples = [
    '<%= config.bin %> collections delete drafts',
    '<%= config.bin %> collections delete drafts --yes --json',
    '<%= config.bin %> collections delete drafts --dry-run',
  ]
  static override args = { collection: collectionArg }
  static override flags = { ...backupFlag, 'dry-run': dryRunFlag }

  protected readonly access = ({ flags }: CommandInput) => (flags['dry-run'] ? 'read' : 'write')

  async run() {
    const { args, flags } = await this.parse(CollectionsDelete)
    const target = this.requireTarget(flags)
    const client = this.client(flags, { dialect: withLargePages(target.dialect) })
    const { documentCount } = await identifyCollection(client, args.collection, target.url)
    const held = documentCount === undefined ? 'its documents' : counted(documentCount, 'document')
    const what = `"${args.collection}" with ${held}`
    if (flags['dry-run']) {
      const dependants = await planDeletion(target, { to: args.collection })
      for (const line of formatPlan(what, dependants)) this.log(line)
      return { documentCount, dependants }
    }
    const dependants = await findDependants(target, { to: args.collection })
    if (dependants.length > 0) this.note(formatDependants(dependants))
    const kind = await this.confirmWrite(flags, `Delete ${what}`, { isAlwaysAsked: true })
    if (kind === 'foreign' && flags.backup) await this.save(client, args.collection)
    const removed = await this.undoably(target, `collections delete ${args.collection}`, flags, () =>
      client.collections.delete(args.collection),
    )

    this.note(`Deleted ${what}.`)
    return { ...removed, documentCount }
  }

  /** Saves the documents, and the collection itself, which `docs batch` cannot create. */
  private async save(client: Client, given: string): Promise<void> {
    const shown: Shown = await client.collections.get(given).catch((error) => {
      if (refusedForPath(error)) return { name: given }
      throw error
    })
    const { name, schema, permissions, documentCount } = shown
    const place = await newBackupPlace(`collections delete ${name}`)
    const path = `${place}.collection.json`
    await writing(() => writeLines(path, (line) => line(`${JSON.stringify({ name, schema, permissions })}\n`)))
    const documents = settledDocuments(client.collection(name), { all: [] }, documentCount)
    const backup = await writeBackup(place, undoOfDeletion(name, documents))
    const restore = [
      `svc api POST /collections -f ${shellWord(shownPath(path))}`,
      ...(backup ? [`svc docs batch -f ${shellWord(backup.path)}`] : []),
    ]
    const what = `"${name}" with ${counted(backup?.saved ?? 0, 'document')}`
    const unshown = Object.entries({ schema, permissions }).flatMap(([what, value]) => (value ? [] : [`${what}, `]))
    const lost = unshown.join('') + lostByDeletion
    const commands = restore.map((command) => this.there(command)).join(' && ')
    this.sayAlways(`Saved ${what} to ${backup?.path ?? shownPath(path)}, without ${lost}. Restore: ${commands}`)
  }
}
