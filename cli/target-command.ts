import * as Flags from '@oclif/core/flags'
import type { Input, ParserOutput } from '@oclif/core/interfaces'
import { type Client, type ClientOptions, createClient } from '../client/index.js'
import { SvcError } from '../client/model/errors.js'
import { onStderr } from './colour.js'
import { CliFailure, exits, isUnreachable, reworded } from './failure.js'
import { textHint } from './fields-args.js'
import { nearest } from './nearest.js'
import { type Named, SvcCommand } from './svc-command.js'
import { findTarget, notRunning, type Target, type TargetFlags } from './target.js'

export type { Client }

/** A command that talks to a service: the emulator of this folder, or whatever the flags and settings name. */
export abstract class TargetCommand extends SvcCommand {
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

  private target: Target | undefined
  private givenArgs: { readonly [name: string]: unknown } = {}

  /** The client of the service that the flags and settings name. */
  protected client(flags: TargetFlags, more: Partial<ClientOptions> = {}): Client {
    const { url, key, dialect } = this.requireTarget(flags)
    return createClient({ url, apiKey: key, dialect, ...more })
  }

  protected requireTarget(flags: TargetFlags): Target {
    this.target ??= findTarget(flags)
    return this.target
  }

  /** The client for a write: what is not on this machine is shown first, and confirmed. */
  protected async clientForWrite(flags: TargetFlags & { yes: boolean }, what: string): Promise<Client> {
    const { url, from, isLocal } = this.requireTarget(flags)
    if (!isLocal) {
      this.note(`${onStderr.yellow('writes to')} ${onStderr.bold(url)} (${from})`)
      await this.confirm(`${what} on ${new URL(url).host}?`, flags)
    }
    return this.client(flags)
  }

  protected override async explain(error: Error): Promise<Error> {
    if (isUnreachable(error)) return this.explainUnreachable(error)
    if (!(error instanceof SvcError) || !this.target) return error
    if (error.status === 401 && this.target.key === undefined) return explainNoKey(this.target)
    if (error.code === 'VALIDATION_ERROR') return explainText(error, this.argv)
    if (error.code === 'NOT_FOUND') return this.explainNotFound(error)
    return error
  }

  private explainUnreachable(cause: SvcError): Error {
    if (!this.target) return cause
    const { url, from, emulator } = this.target
    if (cause.code === 'TIMEOUT') return cause
    if (emulator) return notRunning(cause)
    const hint = 'Check the address, and that the service runs.'
    return new CliFailure('NETWORK', exits.network, `Nothing answers at ${url} (${from}).`, hint, { cause })
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
    const otherwise = isManaging
      ? 'See which there are: svc collections list'
      : `Create it: svc collections create ${name}`
    const hint = meant ? `Did you mean "${meant}"?` : otherwise
    return new CliFailure('NOT_FOUND', exits.notFound, `No collection "${name}".`, hint, { cause })
  }

  /** The collection that this command was asked about, where its first argument is one. */
  private collectionInQuestion(): string | undefined {
    const [first] = Object.keys(this.ctor.args)
    const name = first === 'collection' ? this.givenArgs[first] : undefined
    return typeof name === 'string' ? name : undefined
  }

  protected override async parse<F extends Named, B extends Named, A extends Named>(
    options?: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    const parsed = await super.parse(options, argv)
    this.givenArgs = parsed.args
    return parsed
  }
}

function explainText(cause: SvcError, words: readonly string[]): Error {
  const hint = textHint(words, cause.issues)
  return hint === undefined ? cause : reworded(cause, () => ({ hint }))
}

function explainNoKey({ url, from }: Target): CliFailure {
  const message = `${url} (${from}) asks for an API key, and none was given.`
  return new CliFailure('UNAUTHORIZED', exits.notAuthorised, message, 'Give one with SVC_API_KEY, --key or a profile.')
}
