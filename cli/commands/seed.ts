import * as Args from '@oclif/core/args'
import { TargetCommand } from '../base/target-command.js'
import { readUpsert, upsertFlags } from '../documents/upsert-flags.js'
import type { Planted } from '../seeds/plant.js'
import { findSeeds, seedInput } from '../seeds/seed-inputs.js'
import { table } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'

export default class Seed extends TargetCommand {
  static override summary = 'Fill collections from files, once.'
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
    const planted: (Planted & { file: string })[] = []
    for (const file of files) {
      const done = await seedInput(file, { client, isUpsert: flags.upsert, key: by })
      planted.push(...done.map((one) => ({ file, ...one })))
    }

    this.log(table(planted.map((one) => ({ ...one }))))
    return planted
  }
}
