import * as Flags from '@oclif/core/flags'
import { type AuditedOperation, auditedOperations } from '../../../client/protocol/model/access/audit.js'
import { ProjectCommand } from '../../base/project-command.js'
import { openControl } from '../../target/control.js'
import { limitFlag } from '../../terminal/limit-flag.js'
import { table } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { shortTime } from '../../terminal/short-time.js'

export default class AuditList extends ProjectCommand {
  static override hiddenAliases = ['audit:ls']
  static override summary = "List the audit log of the emulator's project."
  static override description =
    prose(`Shows who changed keys, settings, collections, roles and sessions, and who ran resets and snapshots, newest first. The log has
names and ids, but no values. It keeps 90 days, and at most 100,000 entries per project. svc reset and svc snapshot load keep it.`)
  static override examples = [
    '<%= config.bin %> audit list',
    `<%= config.bin %> audit list --operation key.created --json | jq -r '.entries[].subject.key'`,
  ]
  static override flags = {
    operation: Flags.option({
      options: Object.keys(auditedOperations) as AuditedOperation[],
      description: 'only this operation',
    })(),
    limit: limitFlag('entries'),
    before: Flags.integer({ min: 0, description: 'only entries older than the one with this id', helpValue: 'ID' }),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(AuditList)
    const emulator = this.emulator(flags)
    const { operation, limit, before } = flags
    const listed = await openControl(emulator).audit.list({ project: emulator.projectId, operation, limit, before })

    this.log(
      table(
        listed.entries.map(({ id, at, by, operation, subject, requestId }) => ({
          id,
          at: shortTime(at),
          by: [by.kind, by.name ?? by.id].filter((part) => part !== null).join(' '),
          operation,
          what: auditedOperations[operation],
          subject: subjectText(subject),
          request: requestId ?? '',
        })),
      ),
    )
    if (listed.next !== null) this.note(`There are more entries. To see them: --before ${listed.next}`)
    return listed
  }
}

function subjectText(subject: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  return Object.values(subject).flat().filter(Boolean).join(', ')
}
