import { randomBytes } from 'node:crypto'
import { SvcCommand } from '../../base/svc-command.js'
import { prose } from '../../terminal/prose.js'

export default class ServeKeys extends SvcCommand {
  static override summary = 'Generate the secrets for svc serve.'
  static override description =
    prose(`Prints variables for the environment: SVC_SECRET, which signs user tokens, and SVC_ADMIN_TOKEN, which opens the control API on the
admin port. Generate them once, and use the same values for every process. Store them with the password of the database, and apart from its
backups. Every run prints new values and saves nothing.

Processes with another SVC_SECRET do not start. To change it, use svc serve rotate, which logs out all users.`)
  static override examples = [
    '<%= config.bin %> serve keys > serve.env && chmod 600 serve.env',
    '<%= config.bin %> serve keys --json',
  ]

  protected readonly access = 'read'

  async run() {
    await this.parse(ServeKeys)
    const keys = { SVC_SECRET: draw(), SVC_ADMIN_TOKEN: draw() }
    for (const [name, value] of Object.entries(keys)) this.log(`${name}=${value}`)
    this.note('Store these values. Every process needs the same ones, and they are not shown again.')
    return keys
  }
}

function draw(): string {
  return randomBytes(32).toString('base64url')
}
