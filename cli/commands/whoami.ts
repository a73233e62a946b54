import { httpStatus, SvcError } from '../../client/protocol/model/errors.js'
import { calledAs } from '../base/called-as.js'
import { CliFailure, exits, isUnreachable, reworded } from '../base/failure.js'
import { isAboutKey } from '../base/foreign-answer.js'
import { TargetCommand } from '../base/target-command.js'
import { findEmulatorFile } from '../target/emulator-file.js'
import { maskKey } from '../target/profiles.js'
import type { Target } from '../target/target.js'
import { record } from '../terminal/print.js'

export default class Whoami extends TargetCommand {
  static override summary = 'Show which service and key commands use, and where each is set.'
  static override description = 'Exits with 3 if the service refuses the key.'
  static override examples = ['<%= config.bin %> whoami', '<%= config.bin %> whoami --profile staging --json']

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(Whoami)
    const target = this.requireTarget(flags)
    const { url, from, key, keyFrom, dialect, isLocal, emulator, passedOver } = target
    const client = this.client(flags)
    const isTaken = await client.collections
      .list()
      .catch((error) => {
        // A service that does not list its collections may list its users.
        if (!(error instanceof SvcError) || error.code !== 'METHOD_NOT_ALLOWED') throw error
        return client.users.list({ limit: 1 }).catch(undefinedIfOtherForm)
      })
      .then(
        () => true,
        (error) => {
          if (error instanceof SvcError && (error.status === 401 || isAboutKey(error))) return false
          throw failedAt(target, error)
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
      ...(flags.as === undefined ? {} : { as: flags.as }),
    }
    // A refused key is a result, not a failure, so --json prints it like any other.
    if (!isTaken) process.exitCode = exits.notAuthorised
    this.log(record({ ...shown, ...(passedOver.length > 0 ? { passedOver: passedOver.join(', ') } : {}) }))
    return { ...shown, passedOver }
  }
}

/** Ignores lists in another form, which prove that the key is valid. @throws every other failure */
function undefinedIfOtherForm(error: unknown): undefined {
  if (!(error instanceof SvcError) || error.code !== 'INVALID_RESPONSE' || httpStatus(error) >= 400) throw error
}

/** Names the service and the key in every failure. */
function failedAt({ url, from, keyFrom, emulator }: Target, error: unknown): Error {
  const cause = error instanceof SvcError && error.cause instanceof CliFailure ? error.cause : error
  const where = emulator ? `${url} (${findEmulatorFile() ?? from})` : `${url} (${from})`
  const key = keyFrom === undefined ? 'without a key' : `with the key from ${keyFrom}`
  if (!isUnreachable(cause)) return reworded(cause, ({ message }) => ({ message: `${where}, ${key}: ${message}` }))
  const [exit, hint] = emulator
    ? [exits.notRunning, `Start it: ${calledAs()} dev`]
    : [exits.network, 'Check the address, and whether the service runs.']
  return new CliFailure(emulator ? 'NOT_RUNNING' : cause.code, exit, `Could not reach ${where}.`, hint, { cause })
}
