import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { findSeeds } from '../../seeds/seed.js'
import type { SeedTarget } from '../../seeds/send.js'
import { CliFailure, exits } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { TargetCommand } from '../base/target-command.js'
import { readUpsert, upsertFlags } from '../documents/upsert-flags.js'
import { allowCode } from '../seeds/allow-code.js'
import { replacedWords } from '../seeds/replacing.js'
import { type Seeded, type SeedOptions, seededNote, seedFiles, seedTargetOf } from '../seeds/seed-inputs.js'
import { table } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'

export default class Seed extends TargetCommand {
  static override summary = 'Seed collections from files.'
  static override description =
    prose(`A file is either the documents of the collection it is named after (posts.json, posts.ndjson, posts.csv),
or holds several collections, with schemas and with references between documents:

  {"collections": {
    "authors": {"documents": {"ada": {"name": "Ada"}}},
    "posts": {"schema": {"title": {"type": "string"}},
              "documents": [{"title": "Hello", "author": "\${authors.ada.id}"}]}}}

Without files it takes seed.json and what is in seeds/. Seeding again adds nothing: a collection that holds
documents is left alone, or with --upsert brought up to date.`)
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

  async run() {
    const { argv, flags } = await this.parse(Seed)
    const { by, key, note } = readUpsert(flags)
    if (note) this.note(note)
    const files = await findSeeds(argv.map(String))
    const client = await this.clientForWrite({ ...flags, key }, `Seed from ${files.join(', ')}`)
    const emulator = seedTargetOf(this.requireTarget({ ...flags, key }), flags.as)
    const ask = this.mayAsk(flags) ? (question: string) => this.confirm(question, flags) : undefined
    const modules = { client, allow: allowCode(ask), randomSeed: flags['random-seed'] }
    const mode = flags.replace ? 'replace' : flags.upsert ? 'upsert' : 'fill'
    const stop = stopSignal()
    const options = { client, mode, key: by, signal: stop.signal, emulator, modules } as const
    const finish =
      flags.replace && emulator ? await this.prepareReplacing(files, { ...options, emulator }, flags) : undefined
    const seeded: Seeded[] = []
    try {
      for await (const one of seedFiles(files, options)) seeded.push(one)
    } catch (error) {
      if (seeded.length > 0) this.note(`seeded before it failed: ${seeded.map(seededNote).join('; ')}`)
      throw error
    } finally {
      stop.release()
      await finish?.()
    }
    if (stop.signal.aborted) throw interrupted(seeded, stop.name())

    const rows = seeded.map(({ isWhole: _, ...row }) => row)
    this.log(table(rows))
    return rows
  }

  /** Says what will be deleted, asks, and saves a snapshot that brings it back. Answers what to call at the end. */
  private async prepareReplacing(
    files: readonly string[],
    options: SeedOptions & { readonly emulator: SeedTarget },
    flags: { yes: boolean },
  ): Promise<(() => Promise<unknown>) | undefined> {
    const words = await replacedWords(files, options)
    if (words === '') return undefined
    await this.confirm(`Delete ${words}, and seed anew?`, flags)
    const { control, project } = options.emulator
    const command = `seed ${files.join(' ')} --replace`.slice(0, 255)
    const { name } = await control.snapshots.save({ project, automatic: true, command })
    this.note(`Deletes ${words}. Snapshot "${name}" brings it back: svc undo`)
    return () => control.snapshots.finish({ project, snapshot: name })
  }
}

/** What a stopped seed has done; a collection that would be half is empty again. */
function interrupted(seeded: readonly Seeded[], signal: NodeJS.Signals | undefined): CliFailure {
  const left = seeded.filter(({ isWhole, created, updated }) => isWhole || created + updated > 0)
  const done = left.length === 0 ? 'nothing is seeded' : `seeded: ${left.map(seededNote).join('; ')}`
  const exit = signal === 'SIGTERM' ? exits.terminated : exits.interrupted
  return new CliFailure('INTERRUPTED', exit, `Stopped; ${done}.`, 'Give the same command again to seed the rest.')
}
