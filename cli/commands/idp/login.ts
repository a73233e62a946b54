import * as Flags from '@oclif/core/flags'
import type { Control } from '../../../client/control.js'
import { type ProviderFault, providerFaults } from '../../../client/protocol/model/provider-login.js'
import { ControlCommand } from '../../base/control-command.js'
import { CliFailure, exits, misuse } from '../../base/failure.js'
import { stopSignal } from '../../base/stop-signal.js'
import { openLogin } from '../../idp/open-login.js'
import { faultHelp, loginFailed, type Outcome } from '../../idp/outcome.js'
import { nowhere, walk } from '../../idp/walk.js'
import { unlessAborted } from '../../tail/ending.js'
import { openInBrowser } from '../../terminal/browser.js'
import { asDuration } from '../../terminal/duration-flag.js'
import { nearest } from '../../terminal/nearest.js'
import { prose } from '../../terminal/prose.js'
import { printable } from '../../terminal/text-width.js'

interface BrowserLogin {
  readonly fail?: string | undefined
  readonly print: boolean
  readonly timeout: number
}

export default class IdpLogin extends ControlCommand {
  static override summary = "Log in through the project's identity provider and print the token."
  static override description =
    prose(`Opens the provider's page in the browser and waits for the login. With --as, logs in as an account of the built-in provider,
without a browser. Exits with 3 if the login fails.

Cases for --fail, what the built-in provider does, and how the login ends:

${faultHelp}`)
  static override examples = [
    '<%= config.bin %> idp login',
    'TOKEN=$(<%= config.bin %> idp login --as ada)',
    '<%= config.bin %> idp login --as ada --fail no-email',
  ]
  static override flags = {
    as: Flags.string({ description: 'id or email of an account of the built-in provider', helpValue: 'account' }),
    fail: Flags.string({
      description: 'make the built-in provider fail once',
      helpValue: 'case',
      options: Object.keys(providerFaults),
    }),
    print: Flags.boolean({ description: 'print the address instead of opening the browser', exclusive: ['as'] }),
    timeout: Flags.integer({
      ...asDuration({ unit: 's', min: 1 }),
      default: 300,
      description: 'how long to wait for the browser: 30s, 5m, or a number of seconds',
    }),
  }

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(IdpLogin)
    const { projectId, url } = this.emulator(flags)
    const { idp } = this.control(flags)
    const place = { project: projectId, provider: `${url}/_svc/idp/` }
    const outcome =
      flags.as === undefined
        ? await this.logInByBrowser(idp, place, flags)
        : await this.logInAs(idp, place, flags.as, flags.fail)

    if ('failure' in outcome) throw loginFailed(outcome.failure)
    this.log(printable(outcome.token))
    return outcome
  }

  private async logInByBrowser(
    idp: Control['idp'],
    place: Provider,
    { fail, print, timeout }: BrowserLogin,
  ): Promise<Outcome> {
    const login = await openLogin(idp, place.project)
    try {
      return await failingOnce(idp, { ...place, url: login.url, fault: fail }, async () => {
        await this.show(login.url, print)
        const outcome = await login.outcome(timeout * 1000)
        if (outcome) return outcome
        throw new CliFailure('TIME_OUT', exits.network, `No login within ${timeout} s.`)
      })
    } finally {
      login.close()
    }
  }

  private async logInAs(
    idp: Control['idp'],
    place: Provider,
    name: string,
    fail: string | undefined,
  ): Promise<Outcome> {
    const account = await findAccount(idp, name)
    const { url } = await idp.logins.start({ project: place.project, completeUrl: nowhere })
    if (!url.startsWith(place.provider)) {
      throw misuse('--as needs the built-in provider, but this project uses another one.', 'Log in without --as.')
    }
    return failingOnce(idp, { ...place, url, fault: fail }, () => walk(url, account))
  }

  /** Prints the address without a terminal, for the reader of the output. */
  private async show(url: string, print: boolean): Promise<void> {
    const isOpened = !print && process.stdout.isTTY === true && !process.env.CI
    if (!isOpened) {
      process.stderr.write(`Open ${printable(url)}\n`)
      return
    }
    await openInBrowser(url)
    this.note(`Waiting for the browser. If it does not open, go to ${url}`)
  }
}

interface Provider {
  readonly project: string
  /** The start of the addresses of the built-in provider. */
  readonly provider: string
}

interface Failing extends Provider {
  readonly url: string
  readonly fault: string | undefined
}

/** Sets the fault for this login only, and removes it if the login is not completed. */
async function failingOnce(
  idp: Control['idp'],
  { provider, url, fault }: Failing,
  logIn: () => Promise<Outcome>,
): Promise<Outcome> {
  if (fault === undefined) return logIn()
  const client = new URL(url).searchParams.get('client_id')
  if (!url.startsWith(provider) || client === null) {
    throw misuse('--fail needs the built-in provider, but this project uses another one.', 'Log in without --fail.')
  }
  const stop = stopSignal()
  try {
    await idp.faults.set({ fault: fault as ProviderFault, times: 1, client })
    const outcome = await unlessAborted(logIn(), stop.signal)
    if (outcome) return outcome
    throw new CliFailure('INTERRUPTED', stop.exit(), 'Stopped. Nobody was logged in.')
  } catch (error) {
    // A completed login has already used the fault. A stopped emulator has lost it.
    await idp.faults.clear({ client }).catch(() => undefined)
    throw error
  } finally {
    stop.release()
  }
}

async function findAccount(idp: Control['idp'], name: string): Promise<string> {
  const { accounts } = await idp.accounts.list()
  const account = accounts.find(({ id, email }) => id === name || email?.toLowerCase() === name.toLowerCase())
  if (account) return account.id
  const meant = nearest(
    name,
    accounts.map(({ id }) => id),
  )
  const hint = meant ? `Did you mean "${meant}"?` : 'List the accounts: svc idp accounts'
  throw new CliFailure('NOT_FOUND', exits.notFound, `The built-in provider has no account "${name}".`, hint)
}
