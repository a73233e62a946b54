import * as Args from '@oclif/core/args'
import { writeJson } from '../../../client/protocol/model/json.js'
import { axisNames } from '../../../client/protocol/wire/axes.js'
import { dialects, formatDialect, parseDialect } from '../../../client/protocol/wire/dialects.js'
import { encodeListQuery } from '../../../client/protocol/wire/query/encode.js'
import { formatQuery } from '../../../client/protocol/wire/query/format.js'
import { encodeDocument, encodePage } from '../../../client/protocol/wire/records/documents.js'
import { SvcCommand } from '../../base/svc-command.js'
import { record } from '../../terminal/print.js'

export default class DialectsShow extends SvcCommand {
  static override summary = 'Show the forms of a dialect, with an example document and list.'
  static override examples = [
    '<%= config.bin %> dialects show b',
    '<%= config.bin %> dialects show "a, document=flat" --json',
  ]
  static override args = {
    dialect: Args.string({
      required: true,
      description: 'a, b, c, d, or a dialect with exceptions: "a, document=flat"',
    }),
  }

  protected readonly access = 'read'

  async run() {
    const { args } = await this.parse(DialectsShow)
    const dialect = parseDialect(args.dialect, dialects.a)
    const page = encodePage(dialect, { items: [example], total: 345, limit: 1, offset: 0 })
    const query = encodeListQuery(dialect, {
      where: { all: [{ any: [{ path: ['views'], operator: 'gte', value: '100' }] }] },
    })
    const shown = {
      dialect: formatDialect(dialect),
      forms: dialect,
      document: JSON.parse(writeJson(encodeDocument(dialect, example))),
      list: JSON.parse(writeJson(page.body)),
      listHeaders: page.headers,
      filter: formatQuery(query),
    }

    this.log(record(Object.fromEntries(axisNames().map((axis) => [axis, dialect[axis]]))))
    this.log(`\nheader     svc-dialect: ${shown.dialect}`)
    this.log(`filter     ${shown.filter}`)
    this.log(`document   ${JSON.stringify(shown.document)}`)
    this.log(`list       ${JSON.stringify(shown.list)}`)
    for (const [name, value] of Object.entries(page.headers)) this.log(`           ${name}: ${value}`)
    return shown
  }
}

const example = {
  id: '01999999-9999-7999-8999-999999999999',
  collection: 'posts',
  collectionId: '01999999-9999-7999-8999-000000000000',
  data: { title: 'Hello', views: 120 },
  createdAt: '2026-01-02T03:04:05.006Z',
  updatedAt: '2026-01-02T03:04:05.006Z',
  version: 1,
}
