import type { Document } from '../../../client/protocol/model/document.js'
import { TargetCommand } from '../../base/target-command.js'
import { documentRow } from '../../documents/document-row.js'
import { differences } from '../../documents/edit/differences.js'
import { type Edited, editText, keptIn, requireEditor } from '../../documents/edit/edit-text.js'
import { collectionArg, idArg } from '../../documents/fields-args.js'
import type { TargetFlags } from '../../target/target.js'
import { onStderr } from '../../terminal/colour.js'
import { record } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { shellWord } from '../../terminal/shell-word.js'

export default class DocsEdit extends TargetCommand {
  static override summary = 'Edit a document in your editor.'
  static override description =
    prose(`Opens the document in $VISUAL or $EDITOR, then shows your changes and saves them, unless the document was changed in
between. If your changes cannot be saved, they stay in a file. Without a terminal, EDITOR must be a program that needs none, such as a
script.`)
  static override examples = [
    '<%= config.bin %> docs edit posts 01999999-9999-7999-8999-999999999999',
    'EDITOR="code --wait" <%= config.bin %> docs edit posts 01999999-9999-7999-8999-999999999999 --yes',
  ]
  static override args = { collection: collectionArg, id: idArg }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(DocsEdit)
    const editor = requireEditor(
      this.there(`svc docs update ${shellWord(args.collection)} ${shellWord(args.id)} field=value`),
    )
    const collection = this.client(flags).collection(args.collection)
    const before = await collection.get(args.id)
    const edited = await editText(JSON.stringify(before.data, null, 2), {
      name: `${args.collection}-${args.id}.json`,
      editor,
      mayAskAgain: this.mayAsk(flags),
    })
    const changes = differences(before.data, edited.fields)
    if (changes.length === 0) {
      await edited.discard()
      this.note('No changes.')
      return before
    }
    for (const line of changes) this.note(line, line.startsWith('-') ? onStderr.red : onStderr.green)
    const after = await this.save(args, edited, before.version, flags).catch((cause) => {
      throw keptIn(edited.file, cause)
    })
    await edited.discard()

    this.log(record(documentRow(after)))
    return after
  }

  private async save(
    { collection, id }: { collection: string; id: string },
    { fields }: Edited,
    ifMatch: number | undefined,
    flags: TargetFlags & { yes: boolean },
  ): Promise<Document> {
    await this.confirmWrite(flags, `Save document "${id}"`, { isAlwaysAsked: this.mayAsk(flags) })
    return this.client(flags).collection(collection).replace(id, fields, { ifMatch })
  }
}
