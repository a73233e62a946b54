import { SvcCommand } from '../../base/svc-command.js'
import { databaseFlags, readSecretPlace } from '../../serve/serve-flags.js'
import { prose } from '../../terminal/prose.js'

export default class ServeRotate extends SvcCommand {
  static override summary = 'Rotate the secret shared by all svc serve processes.'
  static override description =
    prose(`Makes the SVC_SECRET in the environment of this command the valid one, and logs out all users. Processes with another secret do not
start. The database stores only a fingerprint. The command needs the secret and the address of the database.

Stop all processes first. Running ones keep the old secret, and the command prints how many there are. Also run it on a copy of the
database that you serve elsewhere with another secret.`)
  static override examples = [
    '<%= config.bin %> serve rotate',
    'SVC_SECRET_FILE=/run/secrets/next <%= config.bin %> serve rotate --yes',
  ]
  static override flags = databaseFlags

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(ServeRotate)
    const place = readSecretPlace(flags)
    await this.confirm('Log out all users, and accept only this SVC_SECRET from now on?', flags)
    const { rotateSecret } = await import('../../../emulator/serving/serve.js')
    const { isReplaced, stillServing } = await rotateSecret(place)
    this.log(
      isReplaced
        ? 'Rotated the secret. Start all processes with this SVC_SECRET.'
        : 'Nothing to do, because this SVC_SECRET is already in use.',
    )
    if (stillServing > 0) {
      const run = stillServing === 1 ? '1 process still runs' : `${stillServing} processes still run`
      this.noteAlways(`${run} with the old secret. Stop them now, because their logins are not valid elsewhere.`)
    }
    return { isReplaced, stillServing }
  }
}
