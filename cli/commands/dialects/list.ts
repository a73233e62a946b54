import { axisNames, listForms } from '../../../client/protocol/wire/axes.js'
import { dialects } from '../../../client/protocol/wire/dialects.js'
import { SvcCommand } from '../../base/svc-command.js'
import { table } from '../../terminal/print.js'

export default class DialectsList extends SvcCommand {
  static override hiddenAliases = ['dialects:ls']
  static override summary = 'List dialects, axes and forms.'
  static override examples = ['<%= config.bin %> dialects list', '<%= config.bin %> dialects list --json']

  protected readonly access = 'read'

  async run() {
    await this.parse(DialectsList)
    const rows = axisNames().map((axis) => ({
      axis,
      forms: listForms(axis).join(', '),
      a: dialects.a[axis],
      b: dialects.b[axis],
      c: dialects.c[axis],
      d: dialects.d[axis],
    }))
    this.log(table(rows))
    return { dialects, axes: Object.fromEntries(axisNames().map((axis) => [axis, listForms(axis)])) }
  }
}
