import { SvcCommand } from '../../base/svc-command.js'
import { databaseFlags, readSecretPlace } from '../../serve/serve-flags.js'
import { prose } from '../../terminal/prose.js'

export default class ServeRotate extends SvcCommand {
  static override summary = 'Change the secret that the processes of svc serve have in common.'
  static override description =
    prose(`A process whose SVC_SECRET is another one than that of the database is refused, since half of the users would be logged in at
half of the processes. This has SVC_SECRET, as it is in the environment of this command, be the one from now on. The database
keeps its fingerprint only. The secret and the address of the database are all that it needs.

Stop all processes first: those that run go on with the former one, and the command says how many do. All users have to log in
again. The same is to be done with a copy of a database that is served elsewhere under a secret of its own.`)
  static override examples = [
    '<%= config.bin %> serve rotate',
    'SVC_SECRET_FILE=/run/secrets/next <%= config.bin %> serve rotate --yes',
  ]
  static override flags = databaseFlags

  async run() {
    const { flags } = await this.parse(ServeRotate)
    const place = readSecretPlace(flags)
    await this.confirm('Log out all users, and have only processes with this SVC_SECRET start?', flags)
    const { rotateSecret } = await import('../../../emulator/serve.js')
    const { isReplaced, stillServing } = await rotateSecret(place)
    this.log(
      isReplaced
        ? 'Processes start with this SVC_SECRET from now on.'
        : 'Nothing to change: processes start with this SVC_SECRET.',
    )
    if (stillServing > 0) {
      const run = stillServing === 1 ? '1 process still runs' : `${stillServing} processes still run`
      this.noteAlways(`${run} with the former one. Users that log in there are refused elsewhere: stop them now.`)
    }
    return { isReplaced, stillServing }
  }
}
