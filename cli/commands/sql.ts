import * as Args from '@oclif/core/args'
import { SvcError } from '../../client/protocol/model/errors.js'
import { ControlCommand } from '../base/control-command.js'
import { reworded } from '../base/failure.js'
import { readText } from '../files/read-text.js'
import { limitFlag } from '../terminal/limit-flag.js'
import { counted, table } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'

export default class Sql extends ControlCommand {
  static override summary = "Run a SELECT query over the emulator's collections and users."
  static override description =
    prose(`Each collection is a table with the columns id, created_at, updated_at, version, the fields of its schema and of its newest
documents, and "data", the whole document as jsonb. The table "users" has no secrets, and "files" no content. Ids are text. If a value
does not have the type of its column, the column is null; "data" has the value. Put names with capitals in double quotes: select
"authorId" from posts.

A query runs on a copy, so it changes nothing. Limits: 200,000 rows and 100 MB for the copy, 5 seconds, 512 MB of memory.`)
  static override examples = [
    `<%= config.bin %> sql 'select title, views from posts order by views desc limit 5'`,
    `<%= config.bin %> sql 'select a.name, count(*) from posts p join authors a on a.id = p."authorId" group by 1'`,
    '<%= config.bin %> sql - --json < report.sql',
  ]
  static override args = {
    query: Args.string({ description: 'query to run; - reads stdin', required: true }),
  }
  static override flags = {
    limit: limitFlag('rows'),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(Sql)
    const query = args.query === '-' ? await readText('-') : args.query
    const project = this.emulator(flags).projectId
    const found = await this.control(flags)
      .sql.run({ project, query, limit: flags.limit })
      .catch((error) => {
        throw withPosition(error, query)
      })

    const { columns, rows, isCut } = found
    const names = columns.map((name, at) => (columns.indexOf(name) === at ? name : `${name} (${at + 1})`))
    const shown = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])))
    if (names.length > 0) this.log(table(shown, { columns: names }))
    const words = counted(rows.length, 'row')
    this.note(isCut ? `First ${words}. To see more, pass --limit.` : words)
    return found
  }
}

/** Adds the position of a mistake in the query, and the text there. */
function withPosition(error: unknown, query: string): unknown {
  if (!(error instanceof SvcError)) return error
  const [, at] = error.issues[0]?.path ?? []
  if (typeof at !== 'number' || at === 0) return error
  const line = query.slice(0, at).split('\n').length
  const there = query.slice(at).split('\n')[0]?.slice(0, 40).trim()
  const position = there ? `at "${there}"` : 'at its end'
  return reworded(error, () => ({ hint: `Line ${line}, ${position}.` }))
}
