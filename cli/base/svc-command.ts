import { Command } from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import type { Input, ParserOutput } from '@oclif/core/interfaces'
import { destroysMany } from '../../client/protocol/model/requests/destroying.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { onStderr } from '../terminal/colour.js'
import { nearest } from '../terminal/nearest.js'
import { jsonText, printable, printableColoured, printableLines } from '../terminal/text-width.js'
import { CliFailure, describeFailure, exits, isExit, misuse } from './failure.js'
import { printFailure } from './print-failure.js'

export interface Named {
  [name: string]: unknown
}

type Access = 'read' | 'write'

/** Flags and arguments, which may decide whether the command writes. */
export interface CommandInput {
  readonly flags: Named
  readonly args: Named
  readonly argv: readonly unknown[]
}

/** Receives what a command would print, if another part of this process runs it. */
export interface Caller {
  /** Takes a note of the command, as plain text. */
  note(text: string): void
  /** Whether the caller has saved a snapshot, so that the command need not. */
  readonly hasSaved: boolean
}

/**
 * The base of all commands: common flags, results on stdout, notes on stderr, and failures with a message and a hint. `--json`
 * prints the return value of `run`.
 */
export abstract class SvcCommand extends Command {
  static override enableJsonFlag = true
  static override baseFlags = {
    yes: Flags.boolean({
      char: 'y',
      description: 'answer yes to every question',
      env: 'SVC_YES',
      helpGroup: 'GLOBAL',
    }),
    quiet: Flags.boolean({ char: 'q', description: 'print only results', helpGroup: 'GLOBAL' }),
    debug: Flags.boolean({ description: 'show the stack of a failure', helpGroup: 'GLOBAL' }),
  }

  /**
   * Whether the command writes to the service, the emulator, or settings and files of the app. Help and `svc map` show it. Only writing
   * commands may send writes to a service. It is an instance member, because TypeScript cannot require a static one.
   */
  protected abstract readonly access: Access | ((input: CommandInput) => Access)

  private caller: Caller | undefined

  /**
   * Runs the command for a part of this process. Prints nothing, and returns what `--json` would print.
   *
   * @throws {Error} the failure, with the explanations of the command
   */
  async runFor(caller: Caller): Promise<unknown> {
    this.caller = caller
    try {
      return await this.run()
    } catch (thrown) {
      throw thrown instanceof Error ? await this.explain(thrown) : thrown
    }
  }

  /** Prints a note to stderr, unless --quiet or --json is set. Escapes text from services. */
  protected note(text: string, colour: (text: string) => string = (plain) => plain): void {
    if (!this.isQuiet()) this.noteAlways(text, colour)
  }

  /** Prints a note that --quiet does not hide, because the result would mislead without it. --json hides it. */
  protected noteAlways(text: string, colour: (text: string) => string = (plain) => plain): void {
    if (this.caller) this.caller.note(text)
    else if (!this.jsonEnabled()) process.stderr.write(`${colour(printableLines(text))}\n`)
  }

  /** Prints a note that neither --quiet nor --json hides, such as the target of a write or a risk for a key. */
  protected sayAlways(text: string): void {
    if (this.caller) this.caller.note(text)
    else process.stderr.write(`${onStderr.yellow(printableLines(text))}\n`)
  }

  /** Prints a result to stdout, unless --json is set. Escapes control characters, except colours and line breaks. */
  override log(text = ''): void {
    super.log(printableColoured(text))
  }

  /** Prints data unchanged to a file or pipe, and escaped to a terminal. */
  protected logData(text: string): void {
    super.log(process.stdout.isTTY ? printableLines(text) : text)
  }

  /** Returns whether the command may prompt. */
  protected mayAsk({ yes }: { yes: boolean }): boolean {
    const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true
    return isTerminal && !yes && !this.jsonEnabled() && !process.env.CI
  }

  /** Returns what asks for a confirmation; undefined if the command may not prompt. */
  protected asker(flags: { yes: boolean }): ((question: string) => Promise<void>) | undefined {
    return this.mayAsk(flags) ? (question) => this.confirm(question, flags) : undefined
  }

  /**
   * Asks before something that cannot be undone.
   *
   * @throws {CliFailure} with exit 2 without a terminal and --yes, with 130 after a no
   */
  protected async confirm(question: string, flags: { yes: boolean }): Promise<void> {
    if (flags.yes) return
    if (!this.mayAsk(flags)) {
      throw new CliFailure(
        'NOT_CONFIRMED',
        exits.misuse,
        `${question} Cannot ask without a terminal.`,
        'Confirm it with --yes (-y).',
      )
    }
    const { confirm } = await import('@inquirer/prompts')
    const isWanted = await confirm({ message: printable(question), default: false }, { output: process.stderr })
    if (!isWanted) throw new CliFailure('CANCELLED', exits.interrupted, 'Cancelled. Nothing was changed.')
  }

  /**
   * Saves a snapshot before destructive work on the folder's emulator, so that `svc undo` can restore it. Only runs the work for
   * other services.
   */
  protected async undoably<Result>(
    { emulator, key, keeping }: { emulator: OwnEmulator | undefined; key?: string | undefined; keeping?: string },
    command: string,
    flags: { yes: boolean },
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (!emulator || this.caller?.hasSaved) return work()
    const { withSnapshot } = await import('../snapshots/undoable.js')
    const onSaved = (name: string) => this.note(`Saved snapshot "${name}". To undo this: svc undo`)
    const onUnchanged = (name: string) => this.note(`Nothing changed, so snapshot "${name}" was deleted again.`)
    const onGone = (name: string) => this.noteAlways(`Snapshot "${name}" is gone, so svc undo cannot undo this.`)
    const onUnsaved = (why: string) => this.confirm(`${why} Continue without undo?`, flags)
    return withSnapshot({ emulator, key, command, keeping, onSaved, onUnchanged, onGone, onUnsaved }, work)
  }

  /** Saves a snapshot only for requests that may destroy more than one document. */
  protected sendUndoably<Result>(
    target: { emulator: OwnEmulator | undefined; key?: string | undefined },
    { by, method, path }: { by: string; method: string; path: string },
    flags: { yes: boolean },
    send: () => Promise<Result>,
  ): Promise<Result> {
    return destroysMany(method, path) ? this.undoably(target, `${by} ${method} ${path}`, flags, send) : send()
  }

  /** Whether `--json` prints a line for each event, rather than one value. */
  protected printsLines(): boolean {
    return false
  }

  /** Closes a member that `--json` has started to print, so that a failure can follow in the same object. */
  protected afterMember: string | undefined

  /** Flags that accept an empty value, or refuse it with their own message. */
  protected readonly mayBeEmpty: readonly string[] = []

  /** Set by the parser, because short flags can be combined as in `-yq`. */
  private isSilent = false

  /** Refuses empty arguments and flags, because an unset variable in a script may select far too much. */
  protected override async parse<F extends Named, B extends Named, A extends Named>(
    options?: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    leaveStdin(this.ctor.args)
    this.refuseElsewhere(argv ?? this.argv)
    const parsed = await super.parse(options, argv)
    this.isSilent = parsed.flags.quiet === true
    const flag = emptyFlag(parsed, this.mayBeEmpty)
    if (flag !== undefined) throw emptyFailure(`--${flag}`)
    const at = parsed.argv.indexOf('')
    if (at !== -1) throw emptyFailure(Object.keys(this.ctor.args)[at]?.toUpperCase() ?? `Argument ${at + 1}`)
    return parsed
  }

  /** Refuses --profile and --url for commands that only work with an emulator. */
  private refuseElsewhere(argv: readonly string[]): void {
    const flags = { ...this.ctor.baseFlags, ...this.ctor.flags }
    if (!Object.hasOwn(flags, 'data') || Object.hasOwn(flags, 'url')) return
    const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
    const named = words.map((word) => /^(--profile|--url|-P)(?==|$)/.exec(word)?.[1]).find(Boolean)
    if (named === undefined) return
    const command = `svc ${(this.id ?? '').replaceAll(':', ' ')}`
    throw misuse(
      `${command} only works with an emulator, so ${named} is not supported.`,
      'Run it in the folder of svc dev.',
    )
  }

  protected isQuiet(): boolean {
    return this.isSilent
  }

  // oclif would colour the JSON and write it in pieces. Scripts want it plain and fast.
  protected override logJson(json: unknown): void {
    process.stdout.write(`${jsonText(json, 2)}\n`)
  }

  protected override async catch(thrown: Error): Promise<void> {
    if (isExit(thrown)) throw thrown
    const error = await this.explain(thrown)
    const failure = describeFailure(error)
    const hint = failure.hint ?? (failure.exit === exits.misuse ? this.helpHint(thrown) : undefined)
    const how = { id: this.id, json: this.jsonEnabled(), isOneLine: this.printsLines(), afterMember: this.afterMember }
    printFailure({ ...failure, hint }, { ...how, error })
  }

  /** Improves the message of a failure with knowledge of the command. */
  protected async explain(error: Error): Promise<Error> {
    return error
  }

  private helpHint(error: Error): string {
    const help = `${this.config.bin} ${(this.id ?? '').replaceAll(':', ' ')} --help`
    const unknown = 'flags' in error && Array.isArray(error.flags) ? String(error.flags[0]) : undefined
    const known = Object.keys({ ...this.ctor.flags, ...this.ctor.baseFlags, json: true })
    const meant = unknown?.startsWith('--') ? nearest(unknown.slice(2), known) : undefined
    return meant ? `Did you mean "--${meant}"? List all flags: ${help}` : `Show the usage: ${help}`
  }
}

/**
 * Stops the framework from reading a missing argument from stdin, which may be the rest of the calling script, or the list of its
 * loop.
 */
function leaveStdin(args: Command.Class['args']): void {
  for (const arg of Object.values(args)) arg.ignoreStdin = true
}

/** Returns the first flag with an empty value that does not accept one. */
function emptyFlag(
  { raw, flags }: Pick<ParserOutput<Named>, 'raw' | 'flags'>,
  mayBeEmpty: readonly string[],
): string | undefined {
  for (const token of raw) {
    if (token.type !== 'flag' || mayBeEmpty.includes(token.flag)) continue
    const value = flags[token.flag]
    if (token.input === '' || (Array.isArray(value) && value.includes(''))) return token.flag
  }
  return undefined
}

function emptyFailure(name: string): CliFailure {
  return misuse(`${name} is empty.`, 'Check whether a variable is unset.')
}
