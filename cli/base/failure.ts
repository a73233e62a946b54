import { unknownOutcome } from '../../client/protocol/model/error-words.js'
import { httpStatus, type Issue, SvcError } from '../../client/protocol/model/errors.js'
import { hintOfFile, InputFailure } from '../../seeds/failure.js'

/** The exit codes, as the guide `docs/guides/command-line.md` lists them. */
export const exits = {
  ok: 0,
  failed: 1,
  misuse: 2,
  notAuthorised: 3,
  notFound: 4,
  invalid: 5,
  rateLimited: 6,
  network: 7,
  notRunning: 8,
  different: 10,
  interrupted: 130,
  terminated: 143,
} as const

/** What the terminal and `--json` say about a failure: what happened and why, and what to do. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  readonly exit: number
}

/** A failure of the command line itself, worded for the person who must act. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure'
  constructor(
    readonly code: string,
    readonly exit: number,
    message: string,
    readonly hint?: string,
    extras: { readonly cause?: unknown; readonly stopped?: Stopped } = {},
  ) {
    super(message, extras)
    this.stopped = extras.stopped
  }

  /** Of a command that its cause stopped. */
  readonly stopped: Stopped | undefined
}

export interface Stopped {
  /** How far it had come. */
  readonly reached: string
  /** What to do about the rest, besides what its cause needs. */
  readonly wayOn: string | undefined
}

/** A wrong use of the command line: exit 2. */
export function misuse(message: string, hint?: string): CliFailure {
  return new CliFailure('MISUSE', exits.misuse, message, hint)
}

/** A file that is not there: exit 4. */
export function noFile(name: string, cause?: unknown): CliFailure {
  return new CliFailure('NO_FILE', exits.notFound, `No file "${name}".`, hintOfFile(name), { cause })
}

interface ExitSignal extends Error {
  readonly oclif: { readonly exit: number }
}

/** Whether this is `this.exit(code)` of a command: nothing to print. */
export function isExit(error: unknown): error is ExitSignal {
  return error instanceof Error && 'code' in error && error.code === 'EEXIT'
}

/** The same failure in other words. */
export function reworded(
  cause: unknown,
  words: (failure: Failure) => { readonly message?: string; readonly hint?: string },
): CliFailure {
  const failure = describeFailure(cause)
  const { code, exit, message, hint } = { ...failure, ...words(failure) }
  return new CliFailure(code, exit, message, hint, { cause })
}

/** The same failure, with how far the command had come, and how to go on once what stopped it is mended. */
export function stoppedBy(cause: unknown, reached: string, wayOn?: string): CliFailure {
  const { code, exit, message, hint } = describeFailure(cause)
  // What an answer's code alone suggests is to repeat the command, or less than the command knows.
  const first = cause instanceof SvcError && wayOn !== undefined ? undefined : hint
  return new CliFailure(code, exit, `${message} ${reached}`, bothHints(first, wayOn), {
    cause,
    stopped: { reached, wayOn },
  })
}

/** On lines of their own: each may end in a command. */
function bothHints(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined || one === other) return one ?? other
  return `${one}\n${other}`
}

/** Any thrown thing, as it is printed for people and scripts. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CliFailure) {
    return { code: error.code, message: error.message, hint: error.hint, exit: error.exit }
  }
  if (error instanceof InputFailure) {
    return { code: error.code, message: error.message, hint: error.hint, exit: exitsOfInputs[error.kind] }
  }
  if (error instanceof SvcError) return describeAnswer(error)
  if (isStartError(error)) return { code: error.code, message: error.message, hint: error.hint, exit: exits.failed }
  if (!(error instanceof Error)) return unknown(String(error))
  if (error.name === 'ExitPromptError') {
    return { code: 'CANCELLED', message: 'Cancelled; nothing was done.', hint: undefined, exit: exits.interrupted }
  }
  if (isMisuse(error)) return describeMisuse(error)
  if ('code' in error && typeof error.code === 'string' && error.code.startsWith('E')) return describeSystem(error)
  return unknown(error.message)
}

const exitsOfInputs: { readonly [Kind in InputFailure['kind']]: number } = {
  invalid: exits.invalid,
  missing: exits.notFound,
  misuse: exits.misuse,
  untrusted: exits.notAuthorised,
}

/** Why an emulator cannot start. Recognized by its form, since the emulator is not loaded for other commands. */
function isStartError(error: unknown): error is Error & { code: string; hint: string } {
  return error instanceof Error && error.name === 'StartError' && 'code' in error && 'hint' in error
}

/** Whether no answer came at all, rather than a bad one. */
export function isUnreachable(error: unknown): error is SvcError {
  return error instanceof SvcError && (error.code === 'NETWORK' || error.code === 'TIMEOUT')
}

function describeAnswer(error: SvcError): Failure {
  const request = error.requestId && httpStatus(error) >= 500 ? ` Request ${error.requestId}.` : ''
  return {
    code: error.mayBeDone ? 'OUTCOME_UNKNOWN' : error.code,
    message: [oneLine(error.message) + request, ...furtherIssues(error)].join(' '),
    hint: hintOf(error),
    exit: exitOf(error),
  }
}

/** The message names the first thing that is wrong, if not all of them; the next few follow it. */
function furtherIssues({ issues, message }: SvcError): string[] {
  const further = issues
    .slice(1)
    .map(placedMessage)
    .filter((words) => !message.includes(words.replace(/^needs /, '')))
  if (further.length === 0) return []
  const named = further.slice(0, 3)
  const more = further.length - named.length
  return [`Also: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`]
}

/** With its place, where the words do not begin with the field themselves. */
function placedMessage({ path, message }: Issue): string {
  return path.length === 0 || /^("|needs )/.test(message) ? message : `"${path.join('.')}": ${message}`
}

export const lookFirst = 'See whether it was done, as with `svc docs get` or `svc docs list`, first.'

function hintOf({ code, message, mayBeDone }: SvcError): string | undefined {
  if (mayBeDone || message === unknownOutcome) return lookFirst
  // The words already say what to do: ask for less, free some space, try again.
  if (code === 'UNAVAILABLE' && /\. \S/.test(message)) return undefined
  return Object.hasOwn(hints, code) ? hints[code] : undefined
}

export const noGoodKey = 'Give a good key with --key or SVC_API_KEY; `svc whoami` shows which one is used.'

const hints: { readonly [code: string]: string } = {
  UNAUTHORIZED: noGoodKey,
  COLLECTION_EXISTS: 'See what is there: svc collections list',
  SNAPSHOT_EXISTS: 'Take another name; see what is there: svc snapshot list',
  CONFLICT: 'Read it again, then repeat the change.',
  RATE_LIMITED: 'Wait a moment, then repeat the command.',
  UNAVAILABLE: 'Repeat the command in a moment.',
}

function exitOf(error: SvcError): number {
  if (misunderstood.includes(error.code)) return exits.misuse
  if (unanswered.includes(error.code) || error.mayBeDone) return exits.network
  const status = httpStatus(error)
  return status < 400 ? exits.failed : exitOfStatus(status)
}

/** What a flag said, and no service has a form for. */
const misunderstood: readonly string[] = ['INVALID_DIALECT', 'INVALID_FILTER', 'INVALID_OPTION', 'INVALID_QUERY']
const unanswered: readonly string[] = ['UNAVAILABLE', 'NETWORK', 'TIMEOUT']

/** The exit code of a command whose request was answered with this status. */
export function exitOfStatus(status: number): number {
  if (status < 400) return exits.ok
  if (status === 401 || status === 403) return exits.notAuthorised
  if (status === 404) return exits.notFound
  if (status === 429) return exits.rateLimited
  if (status >= 502 && status <= 504) return exits.network
  return status < 500 ? exits.invalid : exits.failed
}

/** oclif's errors of parsing carry `oclif.exit` 2 and a message that ends in "See more help with --help". */
function isMisuse(error: Error): boolean {
  return 'oclif' in error && (error as { oclif?: { exit?: number } }).oclif?.exit === exits.misuse
}

function describeMisuse(error: Error): Failure {
  return { code: 'MISUSE', message: misuseMessage(error), hint: undefined, exit: exits.misuse }
}

/** oclif's words in ours, where its own take several lines. */
function misuseMessage(error: Error): string {
  if ('flags' in error && Array.isArray(error.flags)) return `Unknown flag "${[...new Set(error.flags)].join('", "')}".`
  if (error.message.startsWith('Missing ') && 'args' in error && Array.isArray(error.args)) {
    const named: { name: string; description?: string; options?: readonly string[] }[] = error.args
    const words = named.map(({ name, description, options }) => {
      const choices = options === undefined ? '' : `: ${options.join(', ')}`
      return `${name.toUpperCase()} (${description}${choices})`
    })
    return `Missing: ${words.join(', ')}.`
  }
  const text = oneLine(error.message.replace(/\s*See more help with --help\s*$/, ''))
    // A value may be a password, and says nothing here.
    .replace(/(--[\w-]+)=.*?(?= cannot also be provided)/g, '$1')
  return sentence(text.replace(/^The following errors? occurred:\s*/, '').replace(/^Parsing (--\S+)\s+/, '$1: '))
}

const systemHints: { readonly [code: string]: string } = {
  EACCES: 'Check who owns it and what you may do with it.',
  EPERM: 'Check who owns it and what you may do with it.',
  ENOSPC: 'Free some space, then repeat the command.',
}

function describeSystem(error: Error & { code?: unknown }): Failure {
  const code = String(error.code)
  const path = 'path' in error ? String(error.path) : undefined
  const reason = systemReasons[code]
  return {
    code,
    message: path && reason ? `${reason}: ${path}` : oneLine(error.message),
    hint: systemHints[code],
    exit: exits.failed,
  }
}

const systemReasons: { readonly [code: string]: string } = {
  ENOENT: 'No such file',
  EISDIR: 'That is a folder, not a file',
  EEXIST: 'File already exists',
  ENOTDIR: 'That is a file, not a folder',
  EACCES: 'Permission denied',
  EPERM: 'Permission denied',
  EROFS: 'The disk is read-only',
  ENOSPC: 'The disk is full',
}

/** For what may be gone, or may not be there yet. @throws every other failure */
export function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof SvcError) || error.code !== 'NOT_FOUND') throw error
}

function unknown(message: string): Failure {
  const hint = 'Run the command again with --debug to see where it happened.'
  return { code: 'FAILED', message: sentence(oneLine(message)), hint, exit: exits.failed }
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim()
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
