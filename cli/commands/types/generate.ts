import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { WebSocket } from 'ws'
import type { Collection } from '../../../client/index.js'
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
import { type ReadCollection, readCollection } from '../../types/read-collections.js'
import {
  clientPackageHere,
  defaultTypesFile,
  formatOfFile,
  readTypesFile,
  type TypesFile,
  typesDifference,
  writeTypesFile,
} from '../../types/types-file.js'
import {
  type DescribedTypes,
  describeTypes,
  sampleSize,
  type TypesFormat,
  type TypesStyle,
  typesFormats,
} from '../../types/types-text.js'
import { requireNoWorse } from '../../types/worse-types.js'

interface Wanted extends TypesStyle, TypesFile {
  readonly most: number
  readonly seesAll: boolean
  readonly names: readonly string[]
}

export default class TypesGenerate extends TargetCommand {
  static override summary = 'Write types for collections, from their schemas and documents.'
  static override description =
    prose(`The file makes createClient<Schema>() typed. A field that each document has is not optional; texts that come again and again
become a union; ids of documents of another collection become links, which can be populated. Days, times, URLs, email
addresses and stored files are named as such.

Of a collection with more than ${count(sampleSize)} documents that many are read, half of them the oldest and half the newest; --all reads
each one. Nothing is written to the service. The same data give the same file, which is left alone if it says so already.

With --check nothing is written: it exits with 10, and shows the difference, if the file would be another. Under --watch
and --json each line is JSON of its own: {"type":"ready"} first, then {"type":"written"} and {"type":"failed"}. What changes
after the first line is in the file soon.`)
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
    collection: Args.string({ multiple: true, description: 'names of collections [default: all]' }),
  }
  static override flags = {
    out: Flags.string({
      char: 'o',
      description: 'file to write; - is stdout [default: src/svc-types.ts, or svc-types.ts without a folder src]',
      helpValue: 'file',
    }),
    format: Flags.option({
      options: typesFormats,
      description: 'what to write [default: by the name of the file: json-schema for .json, else typescript]',
    })(),
    all: Flags.boolean({ description: 'read every document', exclusive: ['sample'] }),
    sample: Flags.integer({
      min: 2,
      description: `documents read of a large collection [default: ${sampleSize}]`,
      helpValue: 'number',
    }),
    watch: Flags.boolean({ description: 'write again whenever the data change, until Ctrl-C' }),
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
    if (wanted.place === '-' && (flags.watch || flags.check)) throw misuse('--watch and --check take a file.')
    if (!flags.check) await this.confirmPlace(wanted, flags)
    this.isWatching = flags.watch
    if (flags.watch) return this.watch(await this.ownerClient(flags, { transport: 'ws', WebSocket }), wanted)
    const { types, collections } = await this.generate(await this.ownerClient(flags), wanted)
    return { ...(await (flags.check ? this.check(wanted, types) : this.write(wanted, types))), collections }
  }

  protected override printsLines(): boolean {
    return this.isWatching
  }

  /** What was written by hand is not overwritten unasked. */
  private async confirmPlace({ place, isTyped }: TypesFile, flags: { yes: boolean }): Promise<void> {
    if (place === '-' || (await mayBeWritten({ place, isTyped }))) return
    await this.confirm(`"${place}" was not written by svc types generate. Write over it?`, flags)
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
        this.note(`The documents of "${name}" may not be read; its schema alone counts.`, onStderr.yellow)
      else if (read < documents)
        this.note(`${name}: ${count(read)} of ${count(documents)} documents read; --all reads each.`)
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
    this.note(`${place} ${done === 'same' ? 'is up to date' : 'written'}`)
    return { file: place, format, isChanged: done === 'written' }
  }

  private async check({ place, format }: Wanted, types: DescribedTypes) {
    const { text } = types
    const is = await readTypesFile(place)
    const difference = await typesDifference(place, is, text)
    if (difference === '') this.note(`${place} is up to date`)
    else {
      process.exitCode = exits.different
      this.logData(difference.trimEnd())
      requireNoWorse(place, is, types)
      this.noteAlways(
        `${place} ${is === undefined ? 'is not there' : 'is out of date'}. Write it: ${this.there(`svc types generate${outWords(place, format)}`)}`,
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
    this.note(`${wanted.place} follows the data; Ctrl-C ends it`, onStderr.dim)
    const onWritten = (file: string) => print({ type: 'written', file }, `${file} written`)
    const onFailed = (message: string) => print({ type: 'failed', message }, `failed  ${message}`)
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
