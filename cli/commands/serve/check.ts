import { exits } from '../../base/failure.js'
import { SvcCommand } from '../../base/svc-command.js'
import { readServeConfig, serveFlags } from '../../serve/serve-flags.js'
import { onStdout } from '../../terminal/colour.js'
import { prose } from '../../terminal/prose.js'

const marks = { wrong: onStdout.red('✗'), note: onStdout.yellow('!'), well: onStdout.green('✓') }

export default class ServeCheck extends SvcCommand {
  static override summary = 'Check settings, ports, database, bucket and mail server before svc serve starts.'
  static override description =
    prose(`Takes the same flags and variables as svc serve, and reports everything that svc serve refuses, such as ports in use. Only reads
the database. Writes, reads, lists and deletes a file in the bucket. Sends no mail. Suggests a fix for each finding.

Exits with 10 if something is wrong. Notes alone do not count.`)
  static override examples = [
    '<%= config.bin %> serve check',
    '<%= config.bin %> serve check --public-url https://api.example.com --json',
  ]
  static override flags = serveFlags

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(ServeCheck)
    const config = readServeConfig(flags)
    const { checkServing } = await import('../../../emulator/serving/serve.js')
    const checks = await checkServing(config)
    for (const { check, said, findings } of checks) {
      const level = findings.some((finding) => finding.level === 'wrong') ? 'wrong' : findings[0] ? 'note' : 'well'
      this.log(`${marks[level]} ${check.padEnd(8)}  ${said}`)
      for (const { message, remedy } of findings) {
        this.log(`${' '.repeat(12)}${message}`)
        this.log(`${' '.repeat(12)}${onStdout.dim(`→ ${remedy}`)}`)
      }
    }
    const isWell = checks.every(({ findings }) => findings.every(({ level }) => level !== 'wrong'))
    if (!isWell) process.exitCode = exits.different
    return { isWell, checks }
  }
}
