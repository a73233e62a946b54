import * as Flags from '@oclif/core/flags'

/** `--no-backup` for commands that change or delete many records. */
export const backupFlag = {
  backup: Flags.boolean({
    allowNo: true,
    default: true,
    description: 'save what is changed to .svc/backups first, where the target is not an emulator',
  }),
}
