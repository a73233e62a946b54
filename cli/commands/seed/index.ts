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
  static override summary = 'Seed collections from files.'
  static override description =
    prose(`A file is either the documents of the collection it is named after (posts.json, posts.ndjson, posts.csv),
or holds several collections, with schemas and with references between documents:

  {"collections": {
    "authors": {"documents": {"ada": {"name": "Ada"}}},
    "posts": {"schema": {"title": {"type": "string"}},
              "documents": [{"title": "Hello", "author": "\${authors.ada.id}"}]}}}

Without files it takes seed.json, seed.ts and seed.js, and what is in seeds/; .ts and .js are code, and run. Seeding
again adds nothing: a collection that holds documents is left alone, or with --upsert brought up to date.`)
  static override examples = ['<%= config.bin %> seed', '<%= config.bin %> seed seeds/users.csv --upsert --by email']
  static override usage = 'seed [FILE...]'
  static override args = {
    file: Args.string({ multiple: true, description: 'files, or patterns such as "seeds/*.json"' }),
  }
  static override flags = {
    ...upsertFlags,
    replace: Flags.boolean({
      description: 'delete first what the seed names: documents of its collections, users, files',
      exclusive: ['upsert'],
    }),
    'random-seed': Flags.integer({
      description: 'a number that draws other made-up data in a module',
      helpValue: 'number',
    }),
  }

  protected readonly access = 'write'

  async run() {
    const { argv, flags } = await this.parse(Seed)
    const { by, key, note } = readUpsert(flags)
    if (note) this.note(note)
    const files = await findSeeds(argv.map(String))
    const what = flags.replace ? 'Delete what it names, and seed from' : 'Seed from'
    const client = await this.clientForWrite({ ...flags, key }, `${what} ${files.join(', ')}`)
    const target = this.requireTarget({ ...flags, key })
    const emulator = findSeedTarget(target, flags.as)
    const ask = this.mayAsk(flags) ? (question: string) => this.confirm(question, flags) : undefined
    const modules = { client, allow: allowCode(ask), randomSeed: flags['random-seed'] }
    const mode = flags.replace ? 'replace' : flags.upsert ? 'upsert' : 'fill'
    const stop = stopSignal()
    const named = { target: targetWords(flags), url: target.url }
    const options = { client, mode, key: by, signal: stop.signal, emulator, modules, ...named } as const
    if (mode === 'replace' && emulator) {
      const words = await replacedWords(files, options)
      if (words !== '') await this.confirm(`Delete ${words}, and seed anew?`, flags)
    }
    const seeded: Seeded[] = []
    const work = async () => {
      for await (const one of seedFiles(files, options)) seeded.push(one)
    }
    const command = `seed ${files.join(' ')} --${mode}`
    try {
      // What only adds to what is there destroys nothing.
      await (mode === 'fill' ? work() : this.undoably(target, command, flags, work))
    } catch (error) {
      if (seeded.length > 0) this.note(`seeded before it failed: ${seeded.map(seededNote).join('; ')}`)
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

/** Counts alone do not tell that nothing of the file was written where other documents were there before. */
function leftAlone(names: readonly string[]): string {
  const which = [...new Set(names)].join(', ')
  return `Left alone, as they hold something already: ${which}. Change and add with --upsert, start over with --replace.`
}

/** What a stopped seed has done; a collection that would be half is empty again. */
function interrupted(seeded: readonly Seeded[], exit: number): CliFailure {
  const left = seeded.filter(({ isWhole, created, updated }) => isWhole || created + updated > 0)
  const done = left.length === 0 ? 'nothing is seeded' : `seeded: ${left.map(seededNote).join('; ')}`
  return new CliFailure('INTERRUPTED', exit, `Stopped; ${done}.`, 'Give the same command again to seed the rest.')
}
