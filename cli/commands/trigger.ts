import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { type Change, changeKinds } from '../../client/protocol/model/change.js'
import type { Document } from '../../client/protocol/model/document.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import { misuse } from '../base/failure.js'
import type { Client } from '../base/service-command.js'
import { TargetCommand } from '../base/target-command.js'
import { readFileAndFields } from '../documents/fields-args.js'
import { prose } from '../terminal/prose.js'

export default class Trigger extends TargetCommand {
  static override summary = 'Cause an event on purpose.'
  static override description =
    prose(`Writes a document, so that everything that follows an event sees it: subscriptions, svc tail, changes, files and permissions.

- created: creates a document with the fields of --from, or a copy of the newest document
- updated: updates the document, or the newest, with the fields of --from, or with none
- deleted: deletes the document`)
  static override examples = [
    '<%= config.bin %> trigger posts.created --from post.json',
    '<%= config.bin %> trigger posts.updated',
    '<%= config.bin %> trigger posts.deleted 01999999-9999-7999-8999-999999999999',
  ]
  static override args = {
    event: Args.string({ required: true, description: 'collection and event: posts.created' }),
    id: Args.string({ description: 'id of the document for updated and deleted' }),
  }
  static override flags = {
    from: Flags.string({ description: 'JSON file with the fields; - reads stdin', helpValue: 'file' }),
  }

  protected readonly access = 'write'

  async run() {
    const { args, flags } = await this.parse(Trigger)
    const { collection, kind } = readEvent(args.event)
    if (kind === 'created' && args.id !== undefined) throw misuse('A new document gets its id from the service.')
    if (kind === 'deleted' && args.id === undefined) throw misuse('Name the document to delete.')
    if (kind === 'deleted' && flags.from !== undefined) throw misuse('--from has no effect on a deletion.')
    const fields = flags.from === undefined ? undefined : await readFileAndFields(flags.from, [])
    const client = await this.clientForWrite(flags, `Cause ${args.event}`)
    const document = await cause[kind](client.collection(collection), { id: args.id, fields })

    this.log(`${args.event}  ${document.id}`)
    return { event: args.event, ...document }
  }
}

interface Given {
  readonly id: string | undefined
  readonly fields: JsonObject | undefined
}

type Collection = ReturnType<Client['collection']>

type Cause = (collection: Collection, given: Given) => Promise<Document | { readonly id: string }>

const cause: Readonly<Record<Change['kind'], Cause>> = {
  created: async (collection, { fields }) => collection.create(fields ?? (await newest(collection)).data),
  updated: async (collection, { id, fields }) => collection.update(id ?? (await newest(collection)).id, fields ?? {}),
  deleted: (collection, { id = '' }) => collection.delete(id),
}

async function newest(collection: Collection) {
  const { items } = await collection.list({ limit: 1 })
  const [document] = items
  if (document) return document
  throw misuse('The collection has no document to copy or update.', 'Pass the fields of a new one with --from.')
}

function readEvent(text: string): { readonly collection: string; readonly kind: Change['kind'] } {
  const dot = text.lastIndexOf('.')
  const kind = changeKinds.find((one) => one === text.slice(dot + 1))
  if (dot > 0 && kind) return { collection: text.slice(0, dot), kind }
  throw misuse(`Invalid event "${text}".`, `Use a collection and an event: posts.${changeKinds.join(', posts.')}.`)
}
