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
import { type Named, SvcCommand } from './svc-command.js'

export type { Client }

export type Access = 'read' | 'write'

/** The flags and arguments of a call, which may decide whether it writes. */
export interface CommandInput {
  readonly flags: Named
  readonly args: Named
  readonly argv: readonly unknown[]
}

interface ConfirmOptions {
  /** Whether an emulator is asked about too: for what deletes or changes many documents. */
  readonly isAlwaysAsked?: boolean
}

/** A command that talks to a service: the emulator of this folder, or whatever the flags and settings name. */
export abstract class ServiceCommand extends SvcCommand {
  static override baseFlags = {
    ...SvcCommand.baseFlags,
    profile: Flags.string({ char: 'P', description: 'the named service to use [SVC_PROFILE]', helpGroup: 'TARGET' }),
    url: Flags.string({ description: 'address of the service [SVC_URL]', helpGroup: 'TARGET' }),
    key: Flags.string({ description: 'API key; SVC_API_KEY keeps it off the screen', helpGroup: 'TARGET' }),
    dialect: Flags.string({
      description: 'forms the service speaks: a, b, c, or "a, document=flat" [SVC_DIALECT]',
      helpGroup: 'TARGET',
    }),
  }

  /**
   * Whether it writes to the service. A member of the instance, since TypeScript demands no static one of a subclass. A request
   * that writes is sent only by a command that says so here, and after {@link confirmWrite}.
   */
  protected abstract readonly access: Access | ((input: CommandInput) => Access)
  /** Whether it compares a service with the emulator of this folder: then that is not its target. */
  protected readonly isOther: boolean = false

  private target: Target | undefined
  private kind: Promise<TargetKind> | undefined
  private isWriting = false
  private isConfirmed = false
  private answered: Answered | undefined
  private givenArgs: { readonly [name: string]: unknown } = {}
  private givenTarget: TargetFlags = {}

  /** The client of the service that the flags and settings name. */
  protected client(flags: TargetFlags, more: Partial<ClientOptions> = {}): Client {
    const { url, key, dialect } = this.requireTarget(flags)
    // The client's own words are few; these name the choices.
    if (dialect !== undefined && dialect !== 'auto') parseDialect(dialect)
    return withSchemas(createClient({ url, apiKey: key, dialect, transport: 'sse', fetch: this.guarded(), ...more }))
  }

  /** A `fetch` to the target, for requests that the client has no call for. The last answer is kept: a failure is explained by it. */
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
      this.sayAlways(`The key travels unencrypted to ${url} (${from}). Use https.`)
    }
    return target
  }

  protected targetKind(flags: TargetFlags): Promise<TargetKind> {
    this.kind ??= classifyTarget(this.requireTarget(flags))
    return this.kind
  }

  /** A command that is suggested, at the service that this one talks to. */
  protected there(command: string): string {
    const { url, profile } = this.givenTarget
    // The environment, svc.json or the default profile may name another service by the time it is run.
    const named = url === undefined && profile === undefined ? { profile: this.target?.profile } : {}
    return command + targetWords({ ...this.givenTarget, ...named })
  }

  /** The client for a write, after {@link confirmWrite}. */
  protected async clientForWrite(flags: TargetFlags & { yes: boolean }, what: string): Promise<Client> {
    await this.confirmWrite(flags, what)
    return this.client(flags)
  }

  /**
   * Prints where a write goes, and asks first unless the target is an emulator.
   *
   * @param what is done, as a question begins: "Delete 3 documents"
   * @throws {CliFailure} with exit 2 without a terminal and without --yes, with 130 after a no.
   */
  protected async confirmWrite(
    flags: TargetFlags & { yes: boolean },
    what: string,
    { isAlwaysAsked = false }: ConfirmOptions = {},
  ): Promise<TargetKind> {
    if (!this.isWriting) throw new Error(`svc ${this.id} asks to write, and its access says that it reads.`)
    const { url, from } = this.requireTarget(flags)
    const kind = await this.targetKind(flags)
    const { host } = new URL(url)
    if (kind !== 'own') this.sayAlways(`-> ${host} (${from})`)
    if (isAlwaysAsked || kind === 'foreign') await this.confirm(`${what} on ${host}?`, flags)
    this.isConfirmed = true
    return kind
  }

  /** A page that the service cut to its maximum looks like all there is: contract 12.3. Under --json, `limit` says so. */
  protected noteCut(page: Page<unknown>, asked: number | undefined): void {
    const { items, limit, offset, total } = page
    if (asked === undefined || limit === undefined || limit >= asked || items.length < limit) return
    if (total !== null && total <= offset + items.length) return
    const what = `${counted(asked, 'record')} asked for, ${count(items.length)} shown`
    this.noteAlways(`${what}: a page holds at most ${count(limit)} here.`, onStderr.yellow)
  }

  /** Says why conditions found nothing. Asks the service only if there is anyone to read it. */
  protected async noteEmptyResult(explain: () => Promise<readonly string[]>): Promise<void> {
    if (this.isQuiet() || this.jsonEnabled()) return
    for (const note of await explain()) this.note(note, onStderr.yellow)
  }

  protected override async explain(error: Error): Promise<Error> {
    const explained = await this.explainCause(error)
    const detect = this.there(detectCommand)
    const { message } = explained
    if (!message.endsWith(detectCommand) && !message.includes(`${detectCommand}. `)) return explained
    // The client names the command, and does not know the service that it is for.
    return reworded(explained, (failure) => ({ message: failure.message.replace(detectCommand, detect) }))
  }

  private async explainCause(error: Error): Promise<Error> {
    // What the command line said itself while it sent something.
    if (error instanceof SvcError && error.cause instanceof CliFailure) return error.cause
    if (error instanceof CliFailure && error.stopped) return this.explainStopped(error, error.stopped)
    if (error instanceof SvcError && error.mayBeDone) return this.explainLost(error)
    if (isUnreachable(error)) return this.explainUnreachable(error)
    if (!(error instanceof SvcError) || !this.target) return error
    // Explaining may send another request, which replaces the last answer.
    const { answered } = this
    const isForeign = answered?.isOwn === false && answered.status === error.status
    const isKeyMissing = error.status === 401 || (isForeign && isAboutKey(error))
    if (isKeyMissing && this.target.key === undefined) return explainNoKey(this.target)
    const explained = await this.explainRefusal(error, this.target)
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

  private async explainStopped(failure: CliFailure, { reached, wayOn }: Stopped): Promise<Error> {
    const { cause } = failure
    if (!(cause instanceof SvcError)) return failure
    const explained = await this.explainCause(cause)
    return explained === cause ? failure : stoppedBy(explained, reached, wayOn)
  }

  /** A write whose answer was lost: what to look at before it is repeated. */
  private explainLost(cause: SvcError): Error {
    const hint = this.lookAt()
    return hint === undefined ? cause : reworded(cause, () => ({ hint }))
  }

  /** A write that was answered with a success that cannot be read: for a script the same as a lost answer. */
  private explainUnread(cause: SvcError): Error {
    const message = `${describeFailure(cause).message}. It may have been carried out.`
    return new CliFailure('OUTCOME_UNKNOWN', exits.network, message, this.lookAt() ?? lookFirst, { cause })
  }

  private lookAt(): string | undefined {
    const name = this.collectionInQuestion()
    if (name === undefined) return undefined
    return `Look before you repeat it: ${this.there(`svc docs list ${shellWord(name)} --limit 5`)}`
  }

  private explainUnreachable(cause: SvcError): Error {
    if (!this.target) return cause
    const { url, from, emulator } = this.target
    if (cause.code === 'TIMEOUT') return cause
    if (emulator) return notRunning(cause)
    const hint = 'Check the address, and that the service runs.'
    return new CliFailure('NETWORK', exits.network, `Could not reach ${url} (${from}).`, hint, { cause })
  }

  /** The service knows who asks, and does not let them; or it does not know. */
  protected async explainRefused(cause: SvcError): Promise<Error> {
    return cause
  }

  /** A collection that is not there is most often one that is spelled otherwise. */
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

  /** What to do about a collection that is not there, and cannot be created by this command. */
  protected seeCollections(): string {
    return `See which there are: ${this.there('svc collections list')}`
  }

  /** The collection that this command was asked about, where its first argument is one, and no other was named beside it. */
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
    this.givenTarget = { ...parsed.flags, ...this.placeOf(parsed.args) }
    const { flags, args, argv: words } = parsed
    const access = typeof this.access === 'function' ? this.access({ flags, args, argv: words }) : this.access
    this.isWriting = access === 'write'
    await this.askAboutAddress(this.givenTarget, parsed.flags.yes === true)
    return parsed
  }

  /** What the arguments say of where to go; it counts as the flags do. */
  protected placeOf(_args: Named): TargetFlags {
    return {}
  }

  /**
   * An address that a file of the folder names is asked for the first time only after a yes at the terminal.
   * `--yes` speaks of the operation, not of who may hear of it: without a terminal, and in CI, the target is refused.
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

/** What is wrong with the key itself, where no role and no user would help. */
function explainKey(cause: SvcError, { key = '', emulator }: Target): Error | undefined {
  if (cause.message.startsWith(scopeRefusal)) {
    const hint = `Give another key with --key or SVC_API_KEY.${emulator ? ' Scopes of keys: svc keys list' : ''}`
    return reworded(cause, () => ({ hint }))
  }
  if (cause.code !== 'UNAUTHORIZED' || !userToken.test(key)) return undefined
  const hint = 'That is the token of a user. It goes beside a key: svc api GET /… -H "authorization: Bearer …"'
  return reworded(cause, () => ({ hint }))
}

function explainNoKey({ url, from, withheld }: Target): CliFailure {
  const message = `${url} (${from}) asks for an API key, and none was given.`
  const hint = withheld ? `${withheld} Give one with --key.` : 'Give one with SVC_API_KEY, --key or a profile.'
  return new CliFailure('UNAUTHORIZED', exits.notAuthorised, message, hint)
}
