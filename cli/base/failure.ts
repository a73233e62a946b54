import { unknownOutcome } from '../../client/protocol/model/error-words.js'
import { httpStatus, type Issue, SvcError } from '../../client/protocol/model/errors.js'
import { hintOfFile, InputFailure } from '../../seeds/failure.js'

/** Exit codes. `docs/guides/command-line.md` lists them. */
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

/** A failure as the terminal and `--json` show it. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  readonly exit: number
}

/** A failure of the command line itself, with a message for the user. */
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

  /** Set if the cause stopped the command halfway. */
  readonly stopped: Stopped | undefined
}

export interface Stopped {
  /** How far the command got. */
  readonly reached: string
  /** How to continue, in addition to the hint of the cause. */
  readonly nextStep: string | undefined
}

/** Fails with exit 2 for wrong arguments. */
export function misuse(message: string, hint?: string): CliFailure {
  return new CliFailure('MISUSE', exits.misuse, message, hint)
}

/** Fails with exit 4 for a missing file. */
export function noFile(name: string, cause?: unknown): CliFailure {
  return new CliFailure('NO_FILE', exits.notFound, `No file "${name}".`, hintOfFile(name), { cause })
}

interface ExitSignal extends Error {
  readonly oclif: { readonly exit: number }
}

/** Recognizes `this.exit(code)` of a command, which prints nothing. */
export function isExit(error: unknown): error is ExitSignal {
  return error instanceof Error && 'code' in error && error.code === 'EEXIT'
}

/** Changes the message or hint of a failure. */
export function reworded(
  cause: unknown,
  change: (failure: Failure) => { readonly message?: string; readonly hint?: string },
): CliFailure {
  const failure = describeFailure(cause)
  const { code, exit, message, hint } = { ...failure, ...change(failure) }
  return new CliFailure(code, exit, message, hint, { cause })
}

/** Adds to a failure how far the command got, and how to continue once the cause is fixed. */
export function stoppedBy(cause: unknown, reached: string, nextStep?: string): CliFailure {
  const { code, exit, message, hint } = describeFailure(cause)
  // The command knows more than a hint that only depends on the error code.
  const first = cause instanceof SvcError && nextStep !== undefined ? undefined : hint
  return new CliFailure(code, exit, `${message} ${reached}`, joinHints(first, nextStep), {
    cause,
    stopped: { reached, nextStep },
  })
}

/** Puts each hint on its own line, because it may end in a command. */
function joinHints(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined || one === other) return one ?? other
  return `${one}\n${other}`
}

/** Describes any thrown value for people and scripts. */
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
    return { code: 'CANCELLED', message: 'Cancelled. Nothing was changed.', hint: undefined, exit: exits.interrupted }
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

/** Recognizes a StartError by its form, because most commands do not load the emulator. */
function isStartError(error: unknown): error is Error & { code: string; hint: string } {
  return error instanceof Error && error.name === 'StartError' && 'code' in error && 'hint' in error
}

/** Returns whether there was no response at all. */
export function isUnreachable(error: unknown): error is SvcError {
  return error instanceof SvcError && (error.code === 'NETWORK' || error.code === 'TIMEOUT')
}

function describeAnswer(error: SvcError): Failure {
  const request = error.requestId && httpStatus(error) >= 500 ? ` Request ${error.requestId}.` : ''
  return {
    code: error.mayBeDone ? 'OUTCOME_UNKNOWN' : error.code,
    message: [oneLine(error.message) + request, ...furtherIssues(error)].join(' '),
    hint: chooseHint(error),
    exit: chooseExit(error),
  }
}

/** Returns the next few issues, because the message may name only the first. */
function furtherIssues({ issues, message }: SvcError): string[] {
  const further = issues
    .slice(1)
    .map(describeIssue)
    .filter((words) => !message.includes(words.replace(/^needs /, '')))
  if (further.length === 0) return []
  const named = further.slice(0, 3)
  const more = further.length - named.length
  return [`Also: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`]
}

/** Adds the path, unless the message starts with the field. */
function describeIssue({ path, message }: Issue): string {
  return path.length === 0 || /^("|needs )/.test(message) ? message : `"${path.join('.')}": ${message}`
}

export const lookFirst =
  'Check whether it was done before you repeat it, for example with `svc docs get` or `svc docs list`.'

function chooseHint({ code, message, mayBeDone }: SvcError): string | undefined {
  if (mayBeDone || message === unknownOutcome) return lookFirst
  // The message already says what to do.
  if (code === 'UNAVAILABLE' && /\. \S/.test(message)) return undefined
  return Object.hasOwn(hints, code) ? hints[code] : undefined
}

export const noGoodKey = 'Set a valid key with --key or SVC_API_KEY. To see which one is used: svc whoami'

const hints: { readonly [code: string]: string } = {
  UNAUTHORIZED: noGoodKey,
  COLLECTION_EXISTS: 'List the collections: svc collections list',
  SNAPSHOT_EXISTS: 'Choose another name. List the snapshots: svc snapshot list',
  CONFLICT: 'Read it again and repeat the change.',
  RATE_LIMITED: 'Wait a moment and repeat the command.',
  UNAVAILABLE: 'Repeat the command in a moment.',
}

function chooseExit(error: SvcError): number {
  if (misunderstood.includes(error.code)) return exits.misuse
  if (unanswered.includes(error.code) || error.mayBeDone) return exits.network
  const status = httpStatus(error)
  return status < 400 ? exits.failed : exitForStatus(status)
}

/** Codes for invalid flags, refused by the client. */
const misunderstood: readonly string[] = ['INVALID_DIALECT', 'INVALID_FILTER', 'INVALID_OPTION', 'INVALID_QUERY']
const unanswered: readonly string[] = ['UNAVAILABLE', 'NETWORK', 'TIMEOUT']

/** Returns the exit code for the status of a response. */
export function exitForStatus(status: number): number {
  if (status < 400) return exits.ok
  if (status === 401 || status === 403) return exits.notAuthorised
  if (status === 404) return exits.notFound
  if (status === 429) return exits.rateLimited
  if (status >= 502 && status <= 504) return exits.network
  return status < 500 ? exits.invalid : exits.failed
}

/** Recognizes oclif's parse errors, which carry `oclif.exit` 2. */
function isMisuse(error: Error): boolean {
  return 'oclif' in error && (error as { oclif?: { exit?: number } }).oclif?.exit === exits.misuse
}

function describeMisuse(error: Error): Failure {
  return { code: 'MISUSE', message: misuseMessage(error), hint: undefined, exit: exits.misuse }
}

/** Rewrites oclif's messages of several lines. */
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
    // Drops the value, which may be a password.
    .replace(/(--[\w-]+)=.*?(?= cannot also be provided)/g, '$1')
  return sentence(text.replace(/^The following errors? occurred:\s*/, '').replace(/^Parsing (--\S+)\s+/, '$1: '))
}

const systemHints: { readonly [code: string]: string } = {
  EACCES: 'Check its owner and permissions.',
  EPERM: 'Check its owner and permissions.',
  ENOSPC: 'Free some space and repeat the command.',
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
  EISDIR: 'This is a folder, not a file',
  EEXIST: 'File already exists',
  ENOTDIR: 'This is a file, not a folder',
  EACCES: 'Permission denied',
  EPERM: 'Permission denied',
  EROFS: 'The disk is read-only',
  ENOSPC: 'The disk is full',
}

/** Ignores NOT_FOUND, for `catch`. @throws every other failure */
export function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof SvcError) || error.code !== 'NOT_FOUND') throw error
}

function unknown(message: string): Failure {
  const hint = 'Run the command again with --debug to see where it failed.'
  return { code: 'FAILED', message: sentence(oneLine(message)), hint, exit: exits.failed }
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim()
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
