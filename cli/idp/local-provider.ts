/** The emulator's built-in identity provider, by its control API. */
import type { Json, JsonObject } from '../../client/protocol/model/json.js'
import type { ProviderAccount, ProviderFault } from '../../client/protocol/model/provider-login.js'
import { segment } from '../../client/protocol/wire/paths/encode.js'
import type { Control } from '../target/control.js'

/** How the next logins fail. */
export interface StandingFault {
  readonly fault: ProviderFault
  /** How many of them; `null` until told otherwise. */
  readonly times: number | null
  /** Whose, if not everybody's. */
  readonly client?: string
}

export async function listAccounts(control: Control): Promise<ProviderAccount[]> {
  const answer = await control({ method: 'GET', path: '/idp/accounts' })
  return (answer as unknown as { accounts: ProviderAccount[] }).accounts
}

/** What is left out follows from the id. @throws {SvcError} `VALIDATION_ERROR` if the id is taken */
export async function addAccount(control: Control, account: JsonObject & { id: string }): Promise<ProviderAccount> {
  return accountOf(await control({ method: 'POST', path: '/idp/accounts', body: account }))
}

/** @throws {SvcError} `NOT_FOUND` */
export async function changeAccount(control: Control, id: string, changes: JsonObject): Promise<ProviderAccount> {
  return accountOf(await control({ method: 'PATCH', path: pathOf(id), body: changes }))
}

/** @throws {SvcError} `NOT_FOUND` */
export async function removeAccount(control: Control, id: string): Promise<void> {
  await control({ method: 'DELETE', path: pathOf(id) })
}

export async function listFaults(control: Control): Promise<StandingFault[]> {
  return faultsOf(await control({ method: 'GET', path: '/idp/faults' }))
}

export async function setFault(control: Control, { fault, times, client }: StandingFault): Promise<StandingFault[]> {
  const body: JsonObject = { fault, times, ...(client === undefined ? {} : { client }) }
  return faultsOf(await control({ method: 'PUT', path: '/idp/faults', body }))
}

export async function clearFaults(control: Control): Promise<StandingFault[]> {
  return faultsOf(await control({ method: 'DELETE', path: '/idp/faults' }))
}

/** The address at the project's provider of a login that ends on a page of this machine. */
export async function startLogin(
  control: Control,
  { project, completeUrl }: { project: string; completeUrl: string },
): Promise<string> {
  const answer = await control({ method: 'POST', path: '/idp/logins', body: { project, completeUrl } })
  return (answer as unknown as { url: string }).url
}

function pathOf(id: string): string {
  return `/idp/accounts/${segment(id)}`
}

function accountOf(answer: Json): ProviderAccount {
  return answer as unknown as ProviderAccount
}

function faultsOf(answer: Json): StandingFault[] {
  return (answer as unknown as { faults: StandingFault[] }).faults
}
