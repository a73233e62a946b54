import { SvcError } from '../../client/model/errors.js'
import { exits } from '../failure.js'
import { record } from '../print.js'
import { maskKey } from '../profiles.js'
import { TargetCommand } from '../target-command.js'

export default class Whoami extends TargetCommand {
  static override summary = 'Show which service commands talk to, with which key, and who says so.'
  static override description = 'Asks the service whether it takes the key; exits with 3 when it does not.'
  static override examples = ['<%= config.bin %> whoami', '<%= config.bin %> whoami --profile staging --json']

  async run() {
    const { flags } = await this.parse(Whoami)
    const { url, from, key, keyFrom, dialect, isLocal, emulator } = this.requireTarget(flags)
    const client = this.client(flags)
    const isTaken = await client.collections.list().then(
      () => true,
      (error) => {
        if (error instanceof SvcError && error.status === 401) return false
        throw error
      },
    )
    const shown = {
      url,
      from,
      key: key === undefined ? null : maskKey(key),
      keyFrom: keyFrom ?? null,
      keyIsGood: isTaken,
      dialect: dialect ?? null,
      isLocal,
      ...(emulator ? { project: emulator.projectId } : {}),
    }
    if (!isTaken) process.exitCode = exits.notAuthorised
    this.log(record(shown))
    return shown
  }
}
