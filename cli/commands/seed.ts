import * as Args from '@oclif/core/args'
import { findSeeds } from '../../seeds/seed.js'
import { CliFailure, exits } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { TargetCommand } from '../base/target-command.js'
import { readUpsert, upsertFlags } from '../documents/upsert-flags.js'
import { type Seeded, seededNote, seedFiles, seedTargetOf } from '../seeds/seed-inputs.js'
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
  static override flags = { ...upsertFlags }

  async run() {
    const { argv, flags } = await this.parse(Seed)
    const { by, key, note } = readUpsert(flags)
    if (note) this.note(note)
    const files = await findSeeds(argv.map(String))
    const client = await this.clientForWrite({ ...flags, key }, `Seed from ${files.join(', ')}`)
    const stop = stopSignal()
    const seeded: Seeded[] = []
    try {
      const emulator = seedTargetOf(this.requireTarget({ ...flags, key }), flags.as)
      const options = { client, isUpsert: flags.upsert, key: by, signal: stop.signal, emulator }
      for await (const one of seedFiles(files, options)) seeded.push(one)
    } catch (error) {
      if (seeded.length > 0) this.note(`seeded before it failed: ${seeded.map(seededNote).join('; ')}`)
      throw error
    } finally {
      stop.release()
    }
    if (stop.signal.aborted) throw interrupted(seeded, stop.name())

    const rows = seeded.map(({ isWhole: _, ...row }) => row)
    this.log(table(rows))
    return rows
  }
}

/** What a stopped seed has done; a collection that would be half is empty again. */
function interrupted(seeded: readonly Seeded[], signal: NodeJS.Signals | undefined): CliFailure {
  const left = seeded.filter(({ isWhole, created, updated }) => isWhole || created + updated > 0)
  const done = left.length === 0 ? 'nothing is seeded' : `seeded: ${left.map(seededNote).join('; ')}`
  const exit = signal === 'SIGTERM' ? exits.terminated : exits.interrupted
  return new CliFailure('INTERRUPTED', exit, `Stopped; ${done}.`, 'Give the same command again to seed the rest.')
}
