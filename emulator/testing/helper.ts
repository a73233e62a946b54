/**
 * Types of the test helper. Separate from the implementation, so that the types of an app's tests don't import those of
 * our libraries.
 */
import type { Client, UntypedSchema } from '../../client/index.js'
import type { operations, StreamPlace } from '../../client/protocol/control/operations.js'
import type { Fields } from '../../client/protocol/model/document.js'
import type { Fault, FaultInput, FaultPreset } from '../../client/protocol/model/faults/fault.js'
import type { Json } from '../../client/protocol/model/json.js'
import type { ProjectSettings } from '../../client/protocol/model/project.js'
import type { ProviderAccount, ProviderFault } from '../../client/protocol/model/provider-login.js'
import type { AnySchema } from '../../client/types.js'

/** Settings and initial data of a project. */
export interface TestProjectOptions extends Partial<ProjectSettings> {
  /** Initial data: seed files as for `svc seed`, or a function. */
  readonly seed?: string | readonly string[] | ((project: TestProject) => Promise<unknown>)
}

export interface TestEmulatorOptions {
  /** A file from `svc snapshot export` to load into the emulator's own project. */
  readonly snapshot?: string
  /** Settings of the emulator's own project. Create others with `project`. */
  readonly settings?: Partial<ProjectSettings>
  /** Initial data of the emulator's own project: seed files as for `svc seed`, or a function. */
  readonly seed?: string | readonly string[] | ((project: TestProject) => Promise<unknown>)
}

export interface TestEmulator extends TestProject {
  /**
   * Creates an isolated project within milliseconds.
   *
   * @example
   * const project = await emulator.project<{ posts: { title: string } }>({ requireVerifiedEmail: true })
   *
   * @throws {Error} that names an unknown or invalid setting
   */
  project<Schema extends AnySchema<Schema> = UntypedSchema>(
    settings?: Partial<ProjectSettings>,
  ): Promise<TestProject<Schema>>
  /** Creates a project like `project`. */
  newProject(settings?: Partial<ProjectSettings>): Promise<TestProject>
  /**
   * Tells which permissions requests have used, in all projects together. A role counts if a user with that role sent a
   * request that needs the permission. `owner` and `member:<path>` count if the user has none of the roles. Requests with
   * the secret key count for no word.
   *
   * @example
   * const { missed } = await emulator.permissionCoverage()
   */
  permissionCoverage(): Promise<PermissionCoverage>
  /** Stops the emulator, unless another process started it. */
  close(): Promise<void>
  /** Calls `close`, for `await using emulator = await startTestEmulator()`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Id and keys of a project. Projects are isolated from each other. */
export interface ProjectKeys {
  readonly id: string
  readonly url: string
  readonly apiKey: string
  readonly secretKey: string
}

/** URL of an emulator, and the token for its control API. */
export interface EmulatorAddress {
  readonly url: string
  readonly controlToken: string
}

export interface TestProject<Schema extends AnySchema<Schema> = UntypedSchema> extends ProjectKeys {
  /** A client with the public key, like the one in your app. */
  readonly client: Client<Schema>
  /** A client with the secret key, which bypasses all permissions. */
  readonly secretClient: Client<Schema>
  /** Environment variables for an app or a command: `SVC_URL`, `SVC_API_KEY` and others. */
  readonly env: Readonly<Record<string, string>>
  readonly users: TestUsers
  readonly mail: TestMailbox
  readonly idp: TestProvider
  /** Fault injection for this project only. */
  readonly faults: TestFaults
  /** For a project, its own clock. For the emulator, the clock of all projects that have not moved their own. */
  readonly clock: TestClock
  /** The emulator's control API, for everything else. Reaches all projects. */
  readonly control: ControlCalls
  /**
   * Deletes everything in the project, or the given parts: collections by name, `users`, `files`, `mail`. Keeps keys
   * and settings.
   *
   * @example
   * await project.reset()
   * await project.reset({ collections: ['posts'], mail: true })
   */
  reset(chosen?: ResetChoice): Promise<void>
  /**
   * Saves the current documents, users, files and settings of the project.
   *
   * @example
   * const before = await project.snapshot()
   * await before.load()
   */
  snapshot(): Promise<TestSnapshot>
}

/** A word in a permission of the collections with that name, in all projects of the emulator. */
export interface TestedPermission {
  readonly collection: string
  readonly permission: 'read' | 'create' | 'update' | 'delete'
  /** A role, `authenticated`, `owner`, or `member:<path>`. */
  readonly word: string
  /** The number of requests by callers to whom the word applies. */
  readonly requests: number
}

/** Permissions that requests have needed, and those that no request has needed. */
export interface PermissionCoverage {
  readonly hit: readonly TestedPermission[]
  readonly missed: readonly TestedPermission[]
}

/** A saved state of a project. */
export interface TestSnapshot {
  readonly name: string
  /** Restores the project to this state, any number of times. Subscribers receive `RESYNC`. */
  load(): Promise<void>
  /** Deletes the snapshot. */
  remove(): Promise<void>
}

export interface ResetChoice {
  readonly collections?: readonly string[]
  readonly users?: true
  readonly files?: true
  readonly mail?: true
}

/** A mail that the service sent, with its links and codes extracted. */
export interface TestMail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly createdAt: string
  readonly text: string
  readonly html: string
  /** The whole message as sent over SMTP. */
  readonly raw: string
  /** Links in the text, in order. */
  readonly links: readonly string[]
  /** Runs of six digits in the text. */
  readonly codes: readonly string[]
  /** The first link in the text, such as a reset link. */
  readonly link: string | undefined
  /** The first run of six digits in its text. */
  readonly code: string | undefined
}

export interface WaitOptions {
  /** Address of the recipient. Default: any. */
  readonly to?: string
  /** A part of the subject, or a pattern that it matches. Default: any. */
  readonly subject?: string | RegExp
  /** Maximum time to wait in milliseconds. Default 5,000. */
  readonly timeout?: number
}

export interface TestMailbox {
  /**
   * Waits for a matching mail and returns the newest, among the newest 200. Also returns a mail that is already there.
   * If an earlier one might match, call `clear` before the action that sends the mail.
   *
   * @example
   * const { link } = await project.mail.waitFor({ to: 'ada@example.com', subject: 'password' })
   *
   * @throws {Error} that lists the mails that did arrive
   */
  waitFor(wanted?: WaitOptions): Promise<TestMail>
  /** Lists up to 200 mails of the project, newest first, for one address or all. */
  list(which?: { readonly to?: string }): Promise<TestMail[]>
  /** Deletes the project's mails, for one address or all. */
  clear(which?: { readonly to?: string }): Promise<void>
}

export interface NewTestUser {
  /** Default: a unique address. */
  readonly email?: string
  /** Default: a password that every project accepts. */
  readonly password?: string
  readonly data?: Fields
  readonly roles?: readonly string[]
  /** Whether the address counts as verified. Default true. */
  readonly verified?: boolean
  /** Whether the login needs a code from an authenticator app; get it with `users.code`. Default false. */
  readonly twoFactor?: boolean
}

export interface TestUser {
  readonly id: string
  readonly email: string
  /** Arguments for `client.auth.logIn`. */
  readonly credentials: { readonly email: string; readonly password: string }
}

export interface TestUsers {
  /**
   * Signs up a user and sets what only the owner can set.
   *
   * @example
   * const ada = await project.users.create({ roles: ['editor'], twoFactor: true })
   */
  create(user?: NewTestUser): Promise<TestUser>
  /** Returns a client that is signed in as the user, without password, code or provider. */
  actAs(user: { readonly id: string }): Promise<Client>
  /**
   * Returns the code in the user's authenticator app. Each code works for one login; the next one comes 30 seconds
   * later by the clock.
   */
  code(user: { readonly id: string }): Promise<string>
}

/** A duration. */
export interface Length {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
  readonly milliseconds?: number
}

/** Tokens, links, codes, rate limits and `createdAt` follow this clock. */
export interface TestClock {
  now(): Promise<Date>
  /** Moves the clock to that moment, from where it goes on. */
  set(moment: Date | string): Promise<Date>
  /**
   * Moves the clock forward.
   *
   * @example
   * await project.clock.advance({ hours: 25 })
   */
  advance(by: Length): Promise<Date>
  /** Resets a project's clock to the emulator's, and the emulator's to the system time. */
  reset(): Promise<Date>
}

export interface TestProvider {
  /**
   * Makes the next logins of the project fail. Other projects are not affected.
   *
   * @example
   * await project.idp.next('cancelled')
   *
   * @param times number of logins, 1 by default; `Infinity` for all
   */
  next(outcome: ProviderFault, times?: number): Promise<void>
  /** Makes the project's logins work again. */
  works(): Promise<void>
  /**
   * Lists the provider's accounts, shared by all projects of the emulator: initially `ada`, `grace`, `alan` and
   * `katherine`.
   */
  accounts(): Promise<ProviderAccount[]>
  /** Adds an account. */
  addAccount(account: { readonly id: string } & Partial<ProviderAccount>): Promise<ProviderAccount>
  /**
   * Follows the URL from `startLogin` like a browser: chooses the account on the provider's page, follows the
   * redirects, and returns the final URL for `finishLogin`.
   *
   * @example
   * const address = await project.idp.logIn(await svc.auth.startLogin(), 'ada')
   * const result = await svc.auth.finishLogin(address)
   */
  logIn(url: string, account?: string): Promise<string>
}

/**
 * A function for each operation of the control API, such as `control.idp.accounts.list()`. Names are typed, values are
 * JSON.
 */
export type ControlCalls<Paths = typeof operations> = {
  readonly [Name in keyof Paths]: Paths[Name] extends StreamPlace
    ? (input?: { readonly [name: string]: unknown }) => AsyncGenerator<Json, void, undefined>
    : Paths[Name] extends string
      ? (input?: { readonly [name: string]: unknown }) => Promise<Json>
      : ControlCalls<Paths[Name]>
}

/** Fault injection for one project only. */
export interface TestFaults {
  /**
   * Adds a fault, which stays active until you remove it.
   *
   * @example
   * const lost = await project.faults.add({ kind: 'drop', when: 'after', method: 'POST', times: 1 })
   * await lost.remove()
   *
   * @throws {SvcError} `VALIDATION_ERROR` if a value that its kind requires is missing
   */
  add(fault: Omit<FaultInput, 'project'>): Promise<TestFault>
  /** Adds the faults of a preset: `slow-3g`, `flaky`, `offline`, `rate-storm` and others. */
  preset(name: FaultPreset, which?: Pick<FaultInput, 'method' | 'path' | 'user' | 'seed'>): Promise<readonly Fault[]>
  /** Lists the active faults with their number of hits. */
  list(): Promise<readonly Fault[]>
  /** Removes all faults of the project. */
  clear(): Promise<void>
}

export interface TestFault extends Fault {
  remove(): Promise<void>
}
