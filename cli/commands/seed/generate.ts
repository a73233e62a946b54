import { extname } from 'node:path'
import * as Flags from '@oclif/core/flags'
import { type Schema, usersWord } from '../../../client/protocol/model/collection.js'
import type { JsonObject } from '../../../client/protocol/model/json.js'
import { maxBatchItems } from '../../../client/protocol/model/limits.js'
import { listTargets } from '../../../client/protocol/model/link-targets.js'
import { openFaker } from '../../../seeds/faker.js'
import { generateDocuments } from '../../../seeds/generate.js'
import { CliFailure, exits, misuse, stoppedBy } from '../../base/failure.js'
import type { CommandInput } from '../../base/service-command.js'
import { type Client, TargetCommand } from '../../base/target-command.js'
import { collectionArg } from '../../documents/fields-args.js'
import { fileNamed, requirePlace } from '../../files/places.js'
import { replaceWhole } from '../../files/replace-whole.js'
import { targetWords } from '../../target/target.js'
import { count, counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { shellWord } from '../../terminal/shell-word.js'

/** Enough documents to learn from. */
const maxSamples = 100

export default class SeedGenerate extends TargetCommand {
  static override summary = 'Generate documents for a collection.'
  static override description =
    prose(`Learns from the schema and the existing documents: the range of numbers and times, repeated text as choices, links by id, and
the meaning of names such as email, title and city.

The same --random-seed generates the same documents, as long as the schema and the first documents do not change.`)
  static override examples = [
    '<%= config.bin %> seed generate posts --count 50',
    '<%= config.bin %> seed generate posts --count 1000 --random-seed 7 -o seeds/posts.ndjson',
  ]
  static override args = { collection: collectionArg }
  static override flags = {
    count: Flags.integer({
      min: 1,
      max: 1_000_000,
      default: 10,
      description: 'number of documents',
      helpValue: 'number',
    }),
    'random-seed': Flags.integer({
      min: 0,
      description: 'seed of the random generator [default: random]',
      helpValue: 'number',
    }),
    out: Flags.string({
      char: 'o',
      description: 'write to a .json or .ndjson file instead of the collection; - is stdout, as NDJSON',
      helpValue: 'file',
    }),
  }

  protected readonly access = ({ flags }: CommandInput) => (flags.out === undefined ? 'write' : 'read')

  async run() {
    const { args, flags } = await this.parse(SeedGenerate)
    const { collection: name } = args
    const { count, out } = flags
    const file = fileNamed(out)
    if (file !== undefined && !['.json', '.ndjson'].includes(extname(file))) {
      throw misuse(`Unsupported file type "${file}".`, 'Use .json or .ndjson.')
    }
    if (file !== undefined) requirePlace(file)
    else if (out !== undefined && this.jsonEnabled()) {
      throw misuse('--json cannot be combined with output to stdout.', `Write to a file: -o ${shellWord(name)}.ndjson`)
    }
    const isWritten = out === undefined
    const client = isWritten
      ? await this.clientForWrite(flags, `Create ${counted(count, 'document')} in ${name}`)
      : this.client(flags)
    const randomSeed = flags['random-seed'] ?? Math.floor(Math.random() * 1_000_000)
    const target = targetWords(flags)
    const faker = openFaker(randomSeed)
    const model = await readModel(client, name, target)
    const documents = generateDocuments(faker, count, model)
    requireComplete(documents, model.schema)
    if (isWritten) await createAll(client, name, documents, target)
    else if (file !== undefined) await replaceWhole(file, formatDocuments(file, documents))
    else this.logData(formatDocuments('.ndjson', documents).trimEnd())
    const place = isWritten ? `in "${name}"` : file === undefined ? 'on stdout' : `in ${file}`
    this.note(`Generated ${counted(count, 'document')} ${place}. To repeat: --random-seed ${randomSeed}`)
    return { collection: name, count, randomSeed, file: file ?? null }
  }
}

/** @throws {CliFailure} without schema and documents */
async function readModel(client: Client, name: string, target: string) {
  const { schema } = await client.collections.get(name)
  const { items } = await client.collection(name).list({ sort: 'createdAt', limit: maxSamples, count: false })
  if (items.length > 0 || Object.keys(schema).length > 0) {
    return { schema, samples: items.map(({ data }) => data), linked: await readLinked(client, schema) }
  }
  const message = `"${name}" has neither a schema nor documents to learn from.`
  const hint = `Set a schema: svc collections schema ${shellWord(name)} --field title:string${target}`
  throw new CliFailure('NOTHING_TO_GO_BY', exits.invalid, message, hint)
}

/** @throws {CliFailure} if a required field has too few values: of links, or of a unique field */
function requireComplete(documents: readonly JsonObject[], schema: Schema): void {
  for (const [field, { required, default: filled, to }] of Object.entries(schema)) {
    if (!required || filled !== undefined) continue
    const found = documents.filter((document) => Object.hasOwn(document, field)).length
    if (found === documents.length) continue
    const message = `Found ${counted(found, 'value')} for "${field}" of ${counted(documents.length, 'document')}, but it is required.`
    const create = to === usersWord ? 'svc users signup EMAIL' : `svc seed generate ${shellWord(to ?? '')}`
    const hint =
      to === undefined ? 'Its unique values are used up. Lower --count.' : `Create what it links to: ${create}`
    throw new CliFailure('NOTHING_TO_GO_BY', exits.invalid, message, hint)
  }
}

/** Reads some ids for each target of a link. */
async function readLinked(client: Client, schema: Schema): Promise<Map<string, readonly string[]>> {
  const linked = new Map<string, readonly string[]>()
  for (const to of listTargets(schema)) {
    const { list } = to === usersWord ? client.users : client.collection(to)
    const { items } = await list({ limit: maxSamples, count: false })
    linked.set(
      to,
      items.map(({ id }) => id),
    )
  }
  return linked
}

async function createAll(client: Client, name: string, documents: readonly JsonObject[], target: string) {
  for (let at = 0; at < documents.length; at += maxBatchItems) {
    try {
      await client.collection(name).createMany(documents.slice(at, at + maxBatchItems), { returning: false })
    } catch (error) {
      if (at === 0) throw error
      const left = documents.length - at
      // Does not repeat --random-seed, which would generate the same documents again.
      const nextStep = `Generate the rest: svc seed generate ${shellWord(name)} --count ${left}${target}`
      throw stoppedBy(error, `${count(at)} of ${counted(documents.length, 'document')} were created.`, nextStep)
    }
  }
}

function formatDocuments(file: string, documents: readonly JsonObject[]): string {
  const lines = documents.map((document) => JSON.stringify(document))
  return file.endsWith('.ndjson') ? lines.map((line) => `${line}\n`).join('') : `[\n  ${lines.join(',\n  ')}\n]\n`
}
