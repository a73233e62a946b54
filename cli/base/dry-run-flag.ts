import * as Flags from '@oclif/core/flags'

/** The flag of commands that plan before they write. With `--json`, the result is the plan. */
export const dryRunFlag = Flags.boolean({ description: 'show the plan, and write nothing' })
