import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { findSeeds } from '../../../seeds/seed.js'
import { CliFailure } from '../../base/failure.js'
import { stopSignal } from '../../base/stop-signal.js'
import { TargetCommand } from '../../base/target-command.js'
import { readUpsert, upsertFlags } from '../../documents/upsert-flags.js'
import { allowCode } from '../../seeds/allow-code.js'
import { replacedWords } from '../../seeds/replacing.js'
import { findSeedTarget, type Seeded, seededNote, seedFiles } from '../../seeds/seed-inputs.js'
import { targetWords } from '../../target/target.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class Seed extends TargetCommand {
  static override summary = 'Fill collections from seed files.'
  static override description =
    prose(`A file has the documents of the collection in its name (posts.json, posts.ndjson, posts.csv), or several collections with
schemas and references between documents:

  {"collections": {
    "authors": {"documents": {"ada": {"name": "Ada"}}},
    "posts": {"schema": {"title": {"type": "string"}},
              "documents": [{"title": "Hello", "author": "\${authors.ada.id}"}]}}}

Without arguments, uses seed.json, seed.ts and seed.js, and all files in seeds/. Runs the code in .ts and .js files. Skips collections that
already have documents, unless you pass --upsert or --replace.`)
  static override examples = ['<%= config.bin %> seed', '<%= config.bin %> seed seeds/users.csv --upsert --by email']
  static override usage = 'seed [FILE...]'
  static override args = {
    file: Args.string({ multiple: true, description: 'files, or patterns such as "seeds/*.json"' }),
  }
  static override flags = {
    ...upsertFlags,
    replace: Flags.boolean({
      description: 'first delete the documents of its collections, and its users and files',
      exclusive: ['upsert'],
    }),
    'random-seed': Flags.integer({
      description: 'seed of the random generator for modules',
      helpValue: 'number',
    }),
  }

  protected readonly access = 'write'

  async run() {
    const { argv, flags } = await this.parse(Seed)
    const { by, key, note } = readUpsert(flags)
    if (note) this.note(note)
    const files = await findSeeds(argv.map(String))
    const what = flags.replace ? 'Replace data with' : 'Seed from'
    const client = await this.clientForWrite({ ...flags, key }, `${what} ${files.join(', ')}`)
    const target = this.requireTarget({ ...flags, key })
    const emulator = findSeedTarget(target, flags.as)
    const ask = this.asker(flags)
    const modules = { client, allow: allowCode(ask), randomSeed: flags['random-seed'] }
    const mode = chooseMode(flags)
    const stop = stopSignal()
    const named = { target: targetWords(flags), url: target.url }
    const options = { client, mode, key: by, signal: stop.signal, emulator, modules, ...named } as const
    if (mode === 'replace' && emulator) {
      const words = await replacedWords(files, options)
      if (words !== '') await this.confirm(`Delete ${words}, and seed again?`, flags)
    }
    const seeded: Seeded[] = []
    const work = async () => {
      for await (const one of seedFiles(files, options)) seeded.push(one)
    }
    const command = `seed ${files.join(' ')} --${mode}`
    try {
      // Needs no snapshot, because it only adds documents.
      await (mode === 'fill' ? work() : this.undoably(target, command, flags, work))
    } catch (error) {
      if (seeded.length > 0) this.note(`Seeded before the failure: ${seeded.map(seededNote).join('; ')}`)
      throw error
    } finally {
      stop.release()
    }
    if (stop.signal.aborted) throw interrupted(seeded, stop.exit())

    const rows = seeded.map(({ isWhole: _, ...row }) => row)
    this.log(table(rows))
    const left = mode === 'fill' ? seeded.filter(({ created, kept }) => created === 0 && kept > 0) : []
    if (left.length > 0) this.note(leftAlone(left.map(({ collection }) => collection)))
    return rows
  }
}

function chooseMode({ replace, upsert }: { replace: boolean; upsert: boolean }) {
  if (replace) return 'replace'
  return upsert ? 'upsert' : 'fill'
}

/** Names skipped collections, because the counts alone do not show them. */
function leftAlone(names: readonly string[]): string {
  const which = [...new Set(names)].join(', ')
  return `Skipped collections with data: ${which}. To update them, pass --upsert. To start over, pass --replace.`
}

/** Lists what a stopped seed has written. Partly filled collections were emptied again. */
function interrupted(seeded: readonly Seeded[], exit: number): CliFailure {
  const left = seeded.filter(({ isWhole, created, updated }) => isWhole || created + updated > 0)
  const done = left.length === 0 ? 'Nothing was seeded' : `Seeded: ${left.map(seededNote).join('; ')}`
  return new CliFailure('INTERRUPTED', exit, `Stopped. ${done}.`, 'To seed the rest, repeat the command.')
}
