import { randomBytes } from 'node:crypto'
import { SvcCommand } from '../../base/svc-command.js'
import { prose } from '../../terminal/prose.js'

export default class ServeKeys extends SvcCommand {
  static override summary = 'Make the secrets that svc serve needs.'
  static override description =
    prose(`Prints lines for the environment: SVC_SECRET, which goes into what user tokens are signed with, and SVC_ADMIN_TOKEN, which
opens the control API on the admin port. Make them once, and give the same to every process; keep them where you keep the
password of the database, and apart from its backups. They are drawn anew each time and kept nowhere.

A process with another SVC_SECRET is refused; svc serve rotate changes it, and logs all users out.`)
  static override examples = [
    '<%= config.bin %> serve keys > serve.env && chmod 600 serve.env',
    '<%= config.bin %> serve keys --json',
  ]

  async run() {
    await this.parse(ServeKeys)
    const keys = { SVC_SECRET: draw(), SVC_ADMIN_TOKEN: draw() }
    for (const [name, value] of Object.entries(keys)) this.log(`${name}=${value}`)
    this.note('Keep these: they are the same for every process, and are not shown again.')
    return keys
  }
}

function draw(): string {
  return randomBytes(32).toString('base64url')
}
