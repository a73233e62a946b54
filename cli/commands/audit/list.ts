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
  static override summary =
    "List the audit log: what was done to the emulator's project with the control token, a key or as a user."
  static override description =
    prose(`The newest operations first: keys, settings, collections, users' roles and sessions, resets and snapshots. The log holds names and
ids, no values. Operations are kept for 90 days, and 100,000 of a project; neither svc reset nor svc snapshot load touches them.`)
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
    before: Flags.integer({ min: 0, description: 'only entries before the one with this id', helpValue: 'ID' }),
  }

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
    if (listed.next !== null) this.note(`There are more: --before ${listed.next}`)
    return listed
  }
}

function subjectText(subject: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  return Object.values(subject).flat().filter(Boolean).join(', ')
}
