import * as Flags from '@oclif/core/flags'
import type { Input, ParserOutput } from '@oclif/core/interfaces'
import { type Client, type ClientOptions, createClient } from '../../client/index.js'
import { scopeRefusal } from '../../client/protocol/model/access/key-scope.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { Page } from '../../client/protocol/model/page.js'
import { parseDialect } from '../../client/protocol/wire/dialects.js'
import { detectCommand } from '../../client/protocol/wire/expected.js'
import { missingHint } from '../collections/missing-hint.js'
import { withSchemas } from '../collections/with-schemas.js'
import { textHint } from '../documents/fields-args.js'
import { isAnswering } from '../target/emulator-health.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import { guardedFetch } from '../target/guarded-fetch.js'
import {
  doubtfulAddress,
  findTarget,
  isUnencrypted,
  notRunning,
  type Target,
  type TargetFlags,
  targetWords,
} from '../target/target.js'
import { classifyTarget, type TargetKind } from '../target/target-kind.js'
import { accept, acceptedAs } from '../target/trust.js'
import { onStderr } from '../terminal/colour.js'
import { nearest } from '../terminal/nearest.js'
import { count, counted } from '../terminal/print.js'
import { shellWord } from '../terminal/shell-word.js'
import { calledAs } from './called-as.js'
import { adapterFor } from './deployed-client.js'
import {
  CliFailure,
  describeFailure,
  exits,
  isUnreachable,
  lookFirst,
  reworded,
  type Stopped,
  stoppedBy,
} from './failure.js'
import { type Answered, explainForeign, isAboutKey, isUnreadWrite, watchedFetch } from './foreign-answer.js'
import { neededOffers, requireOffered } from './offers.js'
import { type CommandInput, type Named, SvcCommand } from './svc-command.js'

export type { Client, CommandInput }

interface ConfirmOptions {
  /** Whether to ask for an emulator too, because many documents are deleted or changed. */
  readonly isAlwaysAsked?: boolean
}

/** A command for a service: the emulator of this folder, or the one that flags and settings name. */
export abstract class ServiceCommand extends SvcCommand {
  static override baseFlags = {
    ...SvcCommand.baseFlags,
    profile: Flags.string({ char: 'P', description: 'profile of the service [SVC_PROFILE]', helpGroup: 'TARGET' }),
    remote: Flags.boolean({ description: 'use the service that svc.json links to; see svc link', helpGroup: 'TARGET' }),
    url: Flags.string({ description: 'address of the service [SVC_URL]', helpGroup: 'TARGET' }),
    key: Flags.string({
      description: 'API key; prefer SVC_API_KEY, which stays out of your shell history',
      helpGroup: 'TARGET',
    }),
    dialect: Flags.string({
      description: 'dialect of the service: a, b, c, d, or "a, document=flat" [SVC_DIALECT]',
      helpGroup: 'TARGET',
    }),
  }

  /** Whether the command compares a service with the folder's emulator, which is then not its target. */
  protected readonly isOther: boolean = false

  private target: Target | undefined
  private kind: Promise<TargetKind> | undefined
  private isWriting = false
  private isConfirmed = false
  private answered: Answered | undefined
  private givenArgs: { readonly [name: string]: unknown } = {}
  private givenTarget: TargetFlags = {}

  /** Opens a client for the service. */
  protected client(flags: TargetFlags, more: Partial<ClientOptions> = {}): Client {
    const { url, key, dialect } = this.requireTarget(flags)
    // Fails with a better message than the client's.
    if (dialect !== undefined && dialect !== 'auto') parseDialect(dialect)
    const { fetch = this.guarded(), WebSocket: given, ...others } = more
    const adapter = adapterFor(dialect)
    const socket = given && { WebSocket: adapter.socket(given) }
    const options = {
      url,
      apiKey: key,
      dialect,
      transport: 'sse',
      fetch: adapter.fetch(fetch),
      ...socket,
      ...others,
    } as const
    return withSchemas(createClient(options))
  }

  /** Returns a `fetch` for requests that the client does not have. Remembers the last response, to explain failures. */
  protected guarded(fetch: typeof globalThis.fetch = fetchDirectly): typeof globalThis.fetch {
    const watched = watchedFetch(fetch, (answered) => {
      this.answered = answered
    })
    return guardedFetch(watched, () => this.isConfirmed || this.target?.isOwn === true)
  }

  protected requireTarget(flags: TargetFlags): Target {
    this.target ??= this.announced(findTarget(flags, { isOther: this.isOther }))
    return this.target
  }

  private announced(target: Target): Target {
    const { url, from, key, isOwn, passedOver } = target
    if (passedOver.length > 0) {
      this.note(`Using ${from}, not ${passedOver.join(' or ')}. Choose with --profile or --url.`, onStderr.dim)
    }
    if (key !== undefined && !isOwn && isUnencrypted(url)) {
      this.sayAlways(`Your key is sent unencrypted to ${url} (${from}). Use https.`)
    }
    return target
  }

  protected targetKind(flags: TargetFlags): Promise<TargetKind> {
    this.kind ??= classifyTarget(this.requireTarget(flags))
    return this.kind
  }

  /** Adds the flags of this service to a suggested command. */
  protected there(command: string): string {
    const { url, profile, remote } = this.givenTarget
    // Names the profile, because the settings may have changed when the user runs the command.
    const named = url === undefined && profile === undefined && !remote ? { profile: this.target?.profile } : {}
    return command + targetWords({ ...this.givenTarget, ...named })
  }

  /** Opens a client for a write, after {@link confirmWrite}. */
  protected async clientForWrite(flags: TargetFlags & { yes: boolean }, what: string): Promise<Client> {
    await this.confirmWrite(flags, what)
    return this.client(flags)
  }

  /**
   * Prints the target of a write, and asks first unless it is an emulator.
   *
   * @param what the start of the question: "Delete 3 documents"
   * @throws {CliFailure} with exit 2 without a terminal and --yes, with 130 after a no
   */
  protected async confirmWrite(
    flags: TargetFlags & { yes: boolean },
    what: string,
    { isAlwaysAsked = false }: ConfirmOptions = {},
  ): Promise<TargetKind> {
    if (!this.isWriting) throw new Error(`svc ${this.id} asks to write, but its access is "read".`)
    const { url, from } = this.requireTarget(flags)
    const kind = await this.targetKind(flags)
    const { host } = new URL(url)
    if (kind !== 'own') this.sayAlways(`-> ${host} (${from})`)
    if (isAlwaysAsked || kind === 'foreign') await this.confirm(`${what} on ${host}?`, flags)
    this.isConfirmed = true
    return kind
  }

  /** Warns if the service cut a page to its maximum, which looks like the end of the list: contract 12.3. */
  protected noteCut(page: Page<unknown>, asked: number | undefined): void {
    const { items, limit, offset, total } = page
    if (asked === undefined || limit === undefined || limit >= asked || items.length < limit) return
    if (total !== null && total <= offset + items.length) return
    const what = `Showing ${count(items.length)} of the requested ${counted(asked, 'record')}`
    this.noteAlways(`${what}, because a page has at most ${count(limit)} here.`, onStderr.yellow)
  }

  /** Explains why conditions found nothing. Asks the service only if the note is shown. */
  protected async noteEmptyResult(explain: () => Promise<readonly string[]>): Promise<void> {
    if (this.isQuiet() || this.jsonEnabled()) return
    for (const note of await explain()) this.note(note, onStderr.yellow)
  }

  protected override async explain(error: Error): Promise<Error> {
    const explained = await this.explainCause(error)
    const detect = this.there(detectCommand)
    const { message } = explained
    if (!message.endsWith(detectCommand) && !message.includes(`${detectCommand}. `)) return explained
    // Adds the flags of the service, which the client does not know.
    return reworded(explained, (failure) => ({ message: failure.message.replace(detectCommand, detect) }))
  }

  private async explainCause(error: Error): Promise<Error> {
    // A failure of the command line itself, thrown inside a request.
    if (error instanceof SvcError && error.cause instanceof CliFailure) return error.cause
    if (error instanceof CliFailure && error.stopped) return this.explainStopped(error, error.stopped)
    if (error instanceof SvcError && error.mayBeDone) return this.explainLost(error)
    if (isUnreachable(error)) return this.explainUnreachable(error)
    return error instanceof SvcError && this.target ? this.explainAnswer(error, this.target) : error
  }

  private async explainAnswer(error: SvcError, target: Target): Promise<Error> {
    // Read now, because explaining may send another request.
    const { answered } = this
    const isForeign = answered?.isOwn === false && answered.status === error.status
    const isKeyMissing = error.status === 401 || (isForeign && isAboutKey(error))
    if (isKeyMissing && target.key === undefined) return explainNoKey(target)
    const explained = await this.explainRefusal(error, target)
    if (answered && isUnreadWrite(error, answered)) return this.explainUnread(error)
    if (!isForeign || answered.status < 400) return explained
    return explainForeign(error, explained, answered, this.there(detectCommand))
  }

  private async explainRefusal(error: SvcError, target: Target): Promise<Error> {
    if (error.code === 'UNAUTHORIZED' || error.code === 'FORBIDDEN') {
      return explainKey(error, target) ?? this.explainRefused(error)
    }
    if (error.code === 'VALIDATION_ERROR') return explainText(error, this.argv)
    if (error.code === 'NOT_FOUND') return this.explainNotFound(error)
    if (error.code === 'COLLECTION_EXISTS') return reworded(error, () => ({ hint: this.seeCollections() }))
    return error
  }

  private async explainStopped(failure: CliFailure, { reached, nextStep }: Stopped): Promise<Error> {
    const { cause } = failure
    if (!(cause instanceof SvcError)) return failure
    const explained = await this.explainCause(cause)
    return explained === cause ? failure : stoppedBy(explained, reached, nextStep)
  }

  /** Suggests what to check before a write with a lost response is repeated. */
  private explainLost(cause: SvcError): Error {
    const hint = this.checkFirst()
    return hint === undefined ? cause : reworded(cause, () => ({ hint }))
  }

  /** Treats a write with an unreadable success like one with a lost response. */
  private explainUnread(cause: SvcError): Error {
    const message = `${describeFailure(cause).message}. The change may or may not have been saved.`
    return new CliFailure('OUTCOME_UNKNOWN', exits.network, message, this.checkFirst() ?? lookFirst, { cause })
  }

  private checkFirst(): string | undefined {
    const name = this.collectionInQuestion()
    if (name === undefined) return undefined
    return `Check before you repeat it: ${this.there(`svc docs list ${shellWord(name)} --limit 5`)}`
  }

  private async explainUnreachable(cause: SvcError): Promise<Error> {
    if (!this.target) return cause
    const { url, from, emulator } = this.target
    if (cause.code === 'TIMEOUT') return cause
    if (emulator) return (await isAnswering(url, 2_000)) ? closedByEmulator(cause) : notRunning(cause)
    const hint = 'Check the address, and whether the service runs.'
    return new CliFailure('NETWORK', exits.network, `Could not reach ${url} (${from}).`, hint, { cause })
  }

  /** Explains UNAUTHORIZED and FORBIDDEN. */
  protected async explainRefused(cause: SvcError): Promise<Error> {
    return cause
  }

  /** Suggests a similar name, because a missing collection is usually misspelled. */
  private async explainNotFound(cause: SvcError): Promise<Error> {
    const name = this.collectionInQuestion()
    if (name === undefined || !this.target) return cause
    const names = await this.client({})
      .collections.list()
      .then(
        (all) => all.map((collection) => collection.name),
        () => undefined,
      )
    if (!names || names.includes(name)) return cause
    const meant = nearest(name, names)
    const isManaging = this.id?.startsWith('collections:')
    const mayCreate = Object.hasOwn(this.ctor.flags ?? {}, 'create')
    const options = { mayCreate, target: this.there('') }
    const otherwise = isManaging ? this.seeCollections() : missingHint(name, options)
    const hint = meant ? `Did you mean "${meant}"?${mayCreate ? ' If not, pass --create.' : ''}` : otherwise
    return new CliFailure('NOT_FOUND', exits.notFound, `No collection "${name}".`, hint, { cause })
  }

  /** Returns a hint for a missing collection that this command cannot create. */
  protected seeCollections(): string {
    return `List the collections: ${this.there('svc collections list')}`
  }

  /** Returns the collection in the first argument, if it is the only one. */
  protected collectionInQuestion(): string | undefined {
    const [first] = Object.keys(this.ctor.args)
    const given = first === 'collection' ? this.givenArgs[first] : undefined
    const [name, another] = Array.isArray(given) ? given : [given]
    return typeof name === 'string' && another === undefined ? name : undefined
  }

  protected override async parse<F extends Named, B extends Named, A extends Named>(
    options?: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    const parsed = await super.parse(options, argv)
    this.givenArgs = parsed.args
    this.givenTarget = { ...parsed.flags, ...this.targetOfArgs(parsed.args) }
    const { flags, args, argv: words } = parsed
    const access = typeof this.access === 'function' ? this.access({ flags, args, argv: words }) : this.access
    this.isWriting = access === 'write'
    this.requireOffers({ flags, args, argv: words })
    await this.askAboutAddress(this.givenTarget, parsed.flags.yes === true)
    return parsed
  }

  /** @throws {CliFailure} with exit 5 if the service does not offer what the command needs */
  private requireOffers(given: CommandInput): void {
    const needed = neededOffers(this.id ?? '', given)
    if (needed.length === 0) return
    const { dialect, emulator } = this.requireTarget(this.givenTarget)
    // An emulator offers everything, in each dialect.
    if (!emulator) requireOffered(needed, dialect)
  }

  /** Reads the target from the arguments, which count like flags. */
  protected targetOfArgs(_args: Named): TargetFlags {
    return {}
  }

  /**
   * Asks before the first request to an address from a file in the folder. `--yes` confirms the operation, not the address, so the
   * address is refused without a terminal and in CI.
   */
  private async askAboutAddress(flags: TargetFlags, yes: boolean): Promise<void> {
    if (!this.mayAsk({ yes })) return
    const named = doubtfulAddress(flags, { isOther: this.isOther })
    if (!named) return
    await this.confirm(`${named.path} names ${acceptedAs(named)}. Send requests and keys there from now on?`, { yes })
    await accept(named)
  }
}

function explainText(cause: SvcError, words: readonly string[]): Error {
  const hint = textHint(words, cause.issues)
  return hint === undefined ? cause : reworded(cause, () => ({ hint }))
}

const userToken = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Explains what is wrong with the key itself. */
function explainKey(cause: SvcError, { key = '', emulator }: Target): Error | undefined {
  if (cause.message.startsWith(scopeRefusal)) {
    const hint = `Use another key with --key or SVC_API_KEY.${emulator ? ' List keys and scopes: svc keys list' : ''}`
    return reworded(cause, () => ({ hint }))
  }
  if (cause.code !== 'UNAUTHORIZED' || !userToken.test(key)) return undefined
  const hint = 'This is a user token, not a key. Send it along with a key: svc api GET /… -H "authorization: Bearer …"'
  return reworded(cause, () => ({ hint }))
}

function explainNoKey({ url, from, withheld }: Target): CliFailure {
  const message = `${url} (${from}) needs an API key, but none is set.`
  const hint = withheld ? `${withheld} Set one with --key.` : 'Set one with SVC_API_KEY, --key or a profile.'
  return new CliFailure('UNAUTHORIZED', exits.notAuthorised, message, hint)
}

function closedByEmulator(cause: SvcError): CliFailure {
  const message = 'The running emulator closed the connection without a response.'
  const hint = `Check for simulated faults: ${calledAs()} faults list`
  return new CliFailure('NETWORK', exits.network, message, hint, { cause })
}
