import * as Flags from '@oclif/core/flags'

export const backupFlag = {
  backup: Flags.boolean({
    allowNo: true,
    default: true,
    description: 'back up the affected documents to .svc/backups first (hosted services only)',
  }),
}
