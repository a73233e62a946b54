import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { WebSocket } from 'ws'
import type { Collection } from '../../../client/index.js'
import { type ReadCollection, readCollection, sampleSize } from '../../../types/read-collections.js'
import {
  type DescribedTypes,
  describeTypes,
  type TypesFormat,
  type TypesStyle,
  typesFormats,
} from '../../../types/types-text.js'
import { exits, misuse } from '../../base/failure.js'
import { stopSignal } from '../../base/stop-signal.js'
import { type Client, TargetCommand } from '../../base/target-command.js'
import { chooseCollections } from '../../collections/choose.js'
import { onStderr } from '../../terminal/colour.js'
import { count } from '../../terminal/print.js'
import { startProgress } from '../../terminal/progress.js'
import { prose } from '../../terminal/prose.js'
import { shellWord } from '../../terminal/shell-word.js'
import { jsonText } from '../../terminal/text-width.js'
import { keepTypes, mayBeWritten } from '../../types/keep-types.js'
import {
  clientPackageHere,
  defaultTypesFile,
  formatOfFile,
  readTypesFile,
  type TypesFile,
  typesDifference,
  writeTypesFile,
} from '../../types/types-file.js'
import { requireNoWorse } from '../../types/worse-types.js'

interface Wanted extends TypesStyle, TypesFile {
  readonly most: number
  readonly seesAll: boolean
  readonly names: readonly string[]
}

export default class TypesGenerate extends TargetCommand {
  static override summary = 'Generate types for collections.'
  static override description =
    prose(`Reads schemas and documents, and writes types for createClient<Schema>(). Fields that every document has are required. Repeated
text becomes a union. Ids of other documents become links that you can populate. Dates, times, URLs, email addresses and stored files
get their own types.

Reads ${count(sampleSize)} documents of a large collection, half the oldest and half the newest. --all reads every document. The same data
gives the same file.

With --check, writes nothing, shows the difference, and exits with 10 if the file is out of date. With --watch and --json, prints one
JSON object per line: first {"type":"ready"}, then {"type":"written"} and {"type":"failed"}.`)
  static override examples = [
    '<%= config.bin %> types generate',
    '<%= config.bin %> types generate --watch',
    '<%= config.bin %> types generate posts authors --out src/blog-types.ts',
    '<%= config.bin %> types generate --check',
    '<%= config.bin %> types generate --format zod --all --out src/schemas.ts',
    '<%= config.bin %> types generate --out schema.json',
  ]
  static override usage = 'types generate [COLLECTION...]'
  static override args = {
    collection: Args.string({ multiple: true, description: 'collections to include [default: all]' }),
  }
  static override flags = {
    out: Flags.string({
      char: 'o',
      description: 'file to write; - is stdout [default: src/svc-types.ts, or svc-types.ts without src/]',
      helpValue: 'file',
    }),
    format: Flags.option({
      options: typesFormats,
      description: 'output format [default: json-schema for .json files, else typescript]',
    })(),
    all: Flags.boolean({ description: 'read all documents', exclusive: ['sample'] }),
    sample: Flags.integer({
      min: 2,
      description: `number of documents to read of a large collection [default: ${sampleSize}]`,
      helpValue: 'number',
    }),
    watch: Flags.boolean({ description: 'update the file whenever data changes, until Ctrl-C' }),
    check: Flags.boolean({
      description: 'write nothing; exit with 10 if the file is out of date',
      exclusive: ['watch'],
    }),
  }

  private isWatching = false

  protected readonly access = 'read'

  async run() {
    const { argv, flags } = await this.parse(TypesGenerate)
    const format = flags.format ?? (flags.out === undefined ? 'typescript' : formatOfFile(flags.out))
    const wanted: Wanted = {
      ...{ place: flags.out ?? defaultTypesFile(format), isTyped: flags.out !== undefined },
      ...{ format, clientPackage: clientPackageHere() },
      ...{
        names: argv.map(String),
        seesAll: this.seesAll(flags),
        most: flags.all ? Number.POSITIVE_INFINITY : (flags.sample ?? sampleSize),
      },
    }
    if (wanted.place === '-' && (flags.watch || flags.check))
      throw misuse('--watch and --check need a file, not stdout.', 'Leave out --out, or name a file.')
    if (!flags.check) await this.confirmPlace(wanted, flags)
    this.isWatching = flags.watch
    if (flags.watch) return this.watch(await this.ownerClient(flags, { transport: 'ws', WebSocket }), wanted)
    const { types, collections } = await this.generate(await this.ownerClient(flags), wanted)
    return { ...(await (flags.check ? this.check(wanted, types) : this.write(wanted, types))), collections }
  }

  protected override printsLines(): boolean {
    return this.isWatching
  }

  /** Asks before overwriting a file that was written by hand. */
  private async confirmPlace({ place, isTyped }: TypesFile, flags: { yes: boolean }): Promise<void> {
    if (place === '-' || (await mayBeWritten({ place, isTyped }))) return
    await this.confirm(`"${place}" was not generated by svc types generate. Overwrite it?`, flags)
  }

  private choose(client: Client, names: readonly string[]): Promise<readonly Collection[]> {
    return chooseCollections(client, names, () => this.seeCollections())
  }

  private async generate(client: Client, wanted: Wanted) {
    const chosen = await this.choose(client, wanted.names)
    if (chosen.length === 0) this.note(`No collections yet. Create one: ${this.there('svc collections create posts')}`)
    const read: ReadCollection[] = []
    const progress = await startProgress(undefined, 'document', { isWanted: !this.isQuiet() && !this.jsonEnabled() })
    try {
      let before = 0
      for (const collection of chosen) {
        const onRead = (documents: number) => progress.at(before + documents, before + documents)
        const one = await readCollection(client, collection, { most: wanted.most, seesAll: wanted.seesAll, onRead })
        before += one.read
        read.push(one)
      }
    } finally {
      progress.stop()
    }
    const types = await describeTypes(client, read, wanted)
    const collections = read.map(({ name, read, total }) => ({ name, documents: total ?? null, read }))
    for (const { name, documents, read } of collections) {
      if (documents === null)
        this.note(`You may not read the documents of "${name}". Its types come from the schema alone.`, onStderr.yellow)
      else if (read < documents)
        this.note(`Read ${count(read)} of ${count(documents)} documents in "${name}". To read all, pass --all.`)
    }
    for (const { isLink, words } of types.few) {
      this.note(`${words}; the type is a ${isLink ? 'link' : 'union'}.`, onStderr.yellow)
    }
    return { types, collections }
  }

  private async write({ place, isTyped, format }: Wanted, types: DescribedTypes) {
    const { text } = types
    if (place === '-') {
      if (this.jsonEnabled()) return { file: null, format, text }
      this.logData(text.slice(0, -1))
      return { file: null, format }
    }
    requireNoWorse(place, await readTypesFile(place), types)
    const done = await writeTypesFile({ place, isTyped }, text)
    this.note(done === 'same' ? `${place} is up to date.` : `Wrote ${place}.`)
    return { file: place, format, isChanged: done === 'written' }
  }

  private async check({ place, format }: Wanted, types: DescribedTypes) {
    const { text } = types
    const is = await readTypesFile(place)
    const difference = await typesDifference(place, is, text)
    if (difference === '') this.note(`${place} is up to date.`)
    else {
      process.exitCode = exits.different
      this.logData(difference.trimEnd())
      requireNoWorse(place, is, types)
      this.noteAlways(
        `${place} ${is === undefined ? 'does not exist' : 'is out of date'}. Write it: ${this.there(`svc types generate${outWords(place, format)}`)}`,
      )
    }
    return { file: place, format, isUpToDate: difference === '', ...(difference === '' ? {} : { difference }) }
  }

  private async watch(client: Client, wanted: Wanted): Promise<void> {
    await this.choose(client, wanted.names)
    const stop = stopSignal()
    const print = (line: object, words: string) => {
      if (this.jsonEnabled()) process.stdout.write(`${jsonText(line)}\n`)
      else this.note(words)
    }
    if (this.jsonEnabled()) process.stdout.write(`${jsonText({ type: 'ready', file: wanted.place })}\n`)
    this.note(`Updating ${wanted.place} whenever data changes. Press Ctrl-C to stop.`, onStderr.dim)
    const onWritten = (file: string) => print({ type: 'written', file }, `Wrote ${file}.`)
    const onFailed = (message: string) => print({ type: 'failed', message }, `Failed: ${message}`)
    try {
      await keepTypes(client, { ...wanted, onWritten, onFailed }, stop.signal)
    } finally {
      stop.release()
    }
    process.exitCode = stop.exit()
  }
}

function outWords(place: string, format: TypesFormat): string {
  const ofFormat = format === formatOfFile(place) ? '' : ` --format ${format}`
  return `${ofFormat}${place === defaultTypesFile(format) ? '' : ` --out ${shellWord(place)}`}`
}
