import { exits } from '../base/failure.js'
import { SvcCommand } from '../base/svc-command.js'
import { table } from '../terminal/print.js'
import { prose } from '../terminal/prose.js'

/** Explains each exit code. */
const meanings: { readonly [Name in keyof typeof exits]: string } = {
  ok: 'success',
  failed: 'failed for another reason',
  misuse: 'wrong arguments, or not confirmed',
  notAuthorised: 'not signed in or not allowed',
  notFound: 'not found',
  invalid: 'refused by the service, for example invalid data',
  rateLimited: 'rate limited',
  network: 'the service cannot be reached, or failed',
  notRunning: 'no emulator runs',
  different: 'different, as asked by diff and --check',
  interrupted: 'interrupted or answered no',
  terminated: 'terminated',
}

export default class SvcMap extends SvcCommand {
  static override summary = 'List every command with its flags, exit codes and examples.'
  static override description = prose(
    `Made for scripts and agents: with --json, one object describes the whole command line. For one command at a terminal, use --help.`,
  )
  static override examples = ['<%= config.bin %> map', '<%= config.bin %> map --json']

  protected readonly access = 'read'

  async run() {
    await this.parse(SvcMap)
    const { bin } = this.config
    const commands = this.config.commands
      .filter(({ hidden, pluginName }) => !hidden && pluginName === this.config.name)
      .map(({ id, summary, description, args, flags, examples, usage, prints, effect }) => ({
        command: `${bin} ${id.replaceAll(':', ' ')}`,
        summary: filled(summary ?? '', bin, id),
        description: filled(description ?? '', bin, id),
        ...{ prints, effect },
        ...(usage === undefined ? {} : { usage: filled([usage].flat().join('\n'), bin, id) }),
        args: Object.values(args).map(({ name, description: about, required, multiple, options }) => ({
          ...{ name, about: about ?? '', isRequired: required === true, isRepeatable: multiple === true },
          ...(options ? { options } : {}),
        })),
        flags: Object.values(flags)
          .filter((flag) => flag.hidden !== true)
          .map((flag) => ({
            ...{
              name: `--${flag.name}`,
              about: filled(flag.description ?? '', bin, id),
              takesValue: flag.type === 'option',
            },
            ...(flag.char ? { short: `-${flag.char}` } : {}),
            ...(flag.required ? { isRequired: true } : {}),
            ...(flag.type === 'option' && flag.multiple ? { isRepeatable: true } : {}),
            ...(flag.type === 'option' && flag.options ? { options: flag.options } : {}),
          })),
        examples: (examples ?? []).map((example) =>
          filled(typeof example === 'string' ? example : example.command, bin, id),
        ),
      }))
      .sort((one, other) => (one.command < other.command ? -1 : 1))
    const exitCodes = Object.entries(meanings).map(([name, about]) => ({
      exit: exits[name as keyof typeof exits],
      about,
    }))
    this.log(
      table(
        commands.map(({ command, summary }) => ({ command, summary })),
        { whole: ['command', 'summary'] },
      ),
    )
    this.log(`\n${table(exitCodes)}`)
    return { version: this.config.version, exitCodes, commands }
  }
}

/** Fills in the placeholders of the framework. */
function filled(text: string, bin: string, id: string): string {
  return text.replaceAll('<%= config.bin %>', bin).replaceAll('<%= command.id %>', id.replaceAll(':', ' ')).trim()
}
