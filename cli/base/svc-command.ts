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

/**
 * What every command has: the common flags, results on stdout and words on stderr, and failures that
 * say what happened and what to do. What `run` returns is what `--json` prints.
 */
export abstract class SvcCommand extends Command {
  static override enableJsonFlag = true
  static override baseFlags = {
    yes: Flags.boolean({ char: 'y', description: 'answer yes to every question', helpGroup: 'GLOBAL' }),
    quiet: Flags.boolean({ char: 'q', description: 'print results only, no words about them', helpGroup: 'GLOBAL' }),
    debug: Flags.boolean({ description: 'show where a failure happened', helpGroup: 'GLOBAL' }),
  }

  /** Words beside the result: on stderr, and not under --quiet or --json. What a service said may be in them. */
  protected note(text: string, colour: (text: string) => string = (plain) => plain): void {
    if (!this.isQuiet()) this.noteAlways(text, colour)
  }

  /** Words that --quiet does not hide: without them, a result would be taken for another. Not under --json. */
  protected noteAlways(text: string, colour: (text: string) => string = (plain) => plain): void {
    if (!this.jsonEnabled()) process.stderr.write(`${colour(printableLines(text))}\n`)
  }

  /** Words that neither --quiet nor --json hides: where a write goes, and what endangers a key. */
  protected sayAlways(text: string): void {
    process.stderr.write(`${onStderr.yellow(printableLines(text))}\n`)
  }

  /** Results: on stdout, and not under --json. Nothing but colours and line breaks moves the terminal. */
  override log(text = ''): void {
    super.log(printableColoured(text))
  }

  /** A result that is data in a format of its own: a file or a pipe gets it as it came, a terminal as text. */
  protected logData(text: string): void {
    super.log(process.stdout.isTTY ? printableLines(text) : text)
  }

  /** Whether there is a terminal, and it may be prompted. */
  protected mayAsk({ yes }: { yes: boolean }): boolean {
    const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true
    return isTerminal && !yes && !this.jsonEnabled() && !process.env.CI
  }

  /**
   * Asks before something that cannot be undone. Where no prompt can be shown, only --yes goes on.
   *
   * @throws {CliFailure} with exit 2 without a terminal and without --yes, with 130 after a no.
   */
  protected async confirm(question: string, flags: { yes: boolean }): Promise<void> {
    if (flags.yes) return
    if (!this.mayAsk(flags)) {
      throw new CliFailure(
        'NOT_CONFIRMED',
        exits.misuse,
        `${question} There is no terminal to ask at.`,
        'Say it with --yes (-y).',
      )
    }
    const { confirm } = await import('@inquirer/prompts')
    const isWanted = await confirm({ message: printable(question), default: false }, { output: process.stderr })
    if (!isWanted) throw new CliFailure('CANCELLED', exits.interrupted, 'Cancelled; nothing was done.')
  }

  /**
   * Does what destroys something at the emulator of this folder so that `svc undo` takes it back. What is destroyed elsewhere is
   * not brought back.
   */
  protected async undoably<Result>(
    { emulator, key, keeping }: { emulator: OwnEmulator | undefined; key?: string | undefined; keeping?: string },
    command: string,
    flags: { yes: boolean },
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (!emulator) return work()
    const { withSnapshot } = await import('../snapshots/undoable.js')
    const onSaved = (name: string) => this.note(`Saved snapshot "${name}"; svc undo takes this back.`)
    const onUnchanged = (name: string) => this.note(`Nothing was changed; deleted snapshot "${name}" again.`)
    const onGone = (name: string) => this.noteAlways(`Snapshot "${name}" is gone: svc undo cannot take this back.`)
    const onUnsaved = (why: string) => this.confirm(`${why} Go on, although it cannot be undone?`, flags)
    return withSnapshot({ emulator, key, command, keeping, onSaved, onUnchanged, onGone, onUnsaved }, work)
  }

  /** The same for a request of any kind: most of them destroy at most one document. */
  protected sendUndoably<Result>(
    target: { emulator: OwnEmulator | undefined; key?: string | undefined },
    { by, method, path }: { by: string; method: string; path: string },
    flags: { yes: boolean },
    send: () => Promise<Result>,
  ): Promise<Result> {
    return destroysMany(method, path) ? this.undoably(target, `${by} ${method} ${path}`, flags, send) : send()
  }

  /** Whether `--json` prints a line for each thing that happens, rather than one value. */
  protected printsLines(): boolean {
    return false
  }

  /** What ends the member of an object that `--json` has begun to print: a failure is printed into that object. */
  protected afterMember: string | undefined

  /** The flags of which an empty value means something, or is refused in words of their own. */
  protected readonly mayBeEmpty: readonly string[] = []

  /** A short flag may stand for it with others, as in `-yq`: only what reads the arguments can say. */
  private isSilent = false

  /** No argument or flag is empty: it comes of a variable that a script did not set, and may mean far more than was wanted. */
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

  /** A command that takes the state folder of an emulator and no target: another service has nothing of what it is about. */
  private refuseElsewhere(argv: readonly string[]): void {
    const flags = { ...this.ctor.baseFlags, ...this.ctor.flags }
    if (!Object.hasOwn(flags, 'data') || Object.hasOwn(flags, 'url')) return
    const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
    const named = words.map((word) => /^(--profile|--url|-P)(?==|$)/.exec(word)?.[1]).find(Boolean)
    if (named === undefined) return
    const command = `svc ${(this.id ?? '').replaceAll(':', ' ')}`
    throw misuse(`${command} is of the emulator only, and has no ${named}.`, 'Run it in the folder where svc dev runs.')
  }

  protected isQuiet(): boolean {
    return this.isSilent
  }

  // oclif colours its JSON and writes it in pieces; scripts want it plain, and fast.
  protected override logJson(json: unknown): void {
    process.stdout.write(`${jsonText(json, 2)}\n`)
  }

  protected override async catch(thrown: Error): Promise<void> {
    if (isExit(thrown)) throw thrown
    const error = await this.explain(thrown)
    const failure = describeFailure(error)
    const hint = failure.hint ?? (failure.exit === exits.misuse ? this.helpHint(thrown) : undefined)
    const how = { json: this.jsonEnabled(), isOneLine: this.printsLines(), afterMember: this.afterMember }
    printFailure({ ...failure, hint }, { ...how, error })
  }

  /** Gives a failure the words that only this kind of command knows. */
  protected async explain(error: Error): Promise<Error> {
    return error
  }

  private helpHint(error: Error): string {
    const help = `${this.config.bin} ${(this.id ?? '').replaceAll(':', ' ')} --help`
    const unknown = 'flags' in error && Array.isArray(error.flags) ? String(error.flags[0]) : undefined
    const known = Object.keys({ ...this.ctor.flags, ...this.ctor.baseFlags, json: true })
    const meant = unknown?.startsWith('--') ? nearest(unknown.slice(2), known) : undefined
    return meant ? `Did you mean "--${meant}"? All of them: ${help}` : `See how it is used: ${help}`
  }
}

/**
 * The framework would read an argument that is left out from stdin, to its end. That may be the rest of the script that runs
 * the command, or the list that its loop goes through.
 */
function leaveStdin(args: Command.Class['args']): void {
  for (const arg of Object.values(args)) arg.ignoreStdin = true
}

/** The first flag of the command line that has an empty value, alone or as one of several, and may not have one. */
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
  return misuse(`${name} is empty.`, 'Is a variable not set?')
}
