/**
 * What the test helper promises. It stands apart from how that is done, since the types of an app's tests must not lead to those of
 * libraries that the app has not chosen.
 */
import type { Client, UntypedSchema } from '../../client/index.js'
import type { operations, StreamPlace } from '../../client/protocol/control/operations.js'
import type { Fields } from '../../client/protocol/model/document.js'
import type { Fault, FaultInput, FaultPreset } from '../../client/protocol/model/faults/fault.js'
import type { Json } from '../../client/protocol/model/json.js'
import type { ProjectSettings } from '../../client/protocol/model/project.js'
import type { ProviderAccount, ProviderFault } from '../../client/protocol/model/provider-login.js'
import type { AnySchema } from '../../client/types.js'

/** Settings of a project, and what it begins with. */
export interface TestProjectOptions extends Partial<ProjectSettings> {
  /** Fills the project: seed files, as `svc seed` takes them, or a function. */
  readonly seed?: string | readonly string[] | ((project: TestProject) => Promise<unknown>)
}

export interface TestEmulatorOptions {
  /** A file of `svc snapshot export` that the emulator's own project begins with. */
  readonly snapshot?: string
  /** Settings of the emulator's own project. Others are made with `project`. */
  readonly settings?: Partial<ProjectSettings>
  /** Fills the emulator's own project before anything else is done with it: seed files, as `svc seed` takes them, or a function. */
  readonly seed?: string | readonly string[] | ((project: TestProject) => Promise<unknown>)
}

export interface TestEmulator extends TestProject {
  /**
   * A project of its own, in milliseconds: nothing of it is seen by others.
   *
   * @example
   * const project = await emulator.project<{ posts: { title: string } }>({ requireVerifiedEmail: true })
   *
   * @throws {Error} that says which setting is not understood
   */
  project<Schema extends AnySchema<Schema> = UntypedSchema>(
    settings?: Partial<ProjectSettings>,
  ): Promise<TestProject<Schema>>
  /** As `project`. */
  newProject(settings?: Partial<ProjectSettings>): Promise<TestProject>
  /** Ends it. An emulator of another process goes on. */
  close(): Promise<void>
  /** As `close`: `await using emulator = await startTestEmulator()`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** What opens a project. Documents, collections, users and keys of one are nothing to another. */
export interface ProjectKeys {
  readonly id: string
  readonly url: string
  readonly apiKey: string
  readonly secretKey: string
}

/** Where an emulator is, and what opens its control API. */
export interface EmulatorAddress {
  readonly url: string
  readonly controlToken: string
}

export interface TestProject<Schema extends AnySchema<Schema> = UntypedSchema> extends ProjectKeys {
  /** A client with the public key, as an app has. */
  readonly client: Client<Schema>
  /** A client with the secret key, which no permission stops. */
  readonly secretClient: Client<Schema>
  /** What an app or a command is given to reach the project: `SVC_URL`, `SVC_API_KEY` and the rest. */
  readonly env: Readonly<Record<string, string>>
  readonly users: TestUsers
  readonly mail: TestMailbox
  readonly idp: TestProvider
  /** Fault injection, for this project alone. */
  readonly faults: TestFaults
  /** Of a project its own, which moves no other; of the emulator that of all projects that have not moved theirs. */
  readonly clock: TestClock
  /** The emulator's own API, for what is not here. It reaches all projects. */
  readonly control: ControlCalls
  /**
   * Deletes everything in the project, or what is chosen: collections by name, `users`, `files`, `mail`. Keys and settings stay.
   *
   * @example
   * await project.reset()
   * await project.reset({ collections: ['posts'], mail: true })
   */
  reset(chosen?: ResetChoice): Promise<void>
  /**
   * Saves the project as it is now: documents, users, files and settings.
   *
   * @example
   * const before = await project.snapshot()
   * await before.load()
   */
  snapshot(): Promise<TestSnapshot>
}

/** A project as it was at one moment. */
export interface TestSnapshot {
  readonly name: string
  /** Brings the project back to it, as often as it is called. Subscriptions get `RESYNC`. */
  load(): Promise<void>
  /** Deletes it. */
  remove(): Promise<void>
}

export interface ResetChoice {
  readonly collections?: readonly string[]
  readonly users?: true
  readonly files?: true
  readonly mail?: true
}

/** A mail that the service wrote, taken apart. */
export interface TestMail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly createdAt: string
  readonly text: string
  readonly html: string
  /** The whole message, as it travels. */
  readonly raw: string
  /** Addresses in the text, in its order. */
  readonly links: readonly string[]
  /** Runs of six digits in the text. */
  readonly codes: readonly string[]
  /** The first address in its text, such as that of a reset link. */
  readonly link: string | undefined
  /** The first run of six digits in its text. */
  readonly code: string | undefined
}

export interface WaitOptions {
  /** The address of the recipient; left out, any. */
  readonly to?: string
  /** A part of the subject, or what it matches; left out, any. */
  readonly subject?: string | RegExp
  /** Milliseconds to wait at most. Default 5,000. */
  readonly timeout?: number
}

export interface TestMailbox {
  /**
   * The newest mail that fits, among the newest 200, as soon as there is one. One that is there already is good enough: `clear`
   * before what writes the mail, where an earlier one would fit too.
   *
   * @example
   * const { link } = await project.mail.waitFor({ to: 'ada@example.com', subject: 'password' })
   *
   * @throws {Error} that lists what did come
   */
  waitFor(wanted?: WaitOptions): Promise<TestMail>
  /** The newest 200 mails of the project at most, the newest first, to one address or to all. */
  list(which?: { readonly to?: string }): Promise<TestMail[]>
  /** Deletes the project's mails, to one address or to all. */
  clear(which?: { readonly to?: string }): Promise<void>
}

export interface NewTestUser {
  /** Left out, an address that no other user has. */
  readonly email?: string
  /** Left out, one that every project takes. */
  readonly password?: string
  readonly data?: Fields
  readonly roles?: readonly string[]
  /** Whether the address counts as verified. Default true. */
  readonly verified?: boolean
  /** Whether logging in takes a code of an authenticator app: `users.code` tells it. Default false. */
  readonly twoFactor?: boolean
}

export interface TestUser {
  readonly id: string
  readonly email: string
  /** What `client.auth.logIn` takes. */
  readonly credentials: { readonly email: string; readonly password: string }
}

export interface TestUsers {
  /**
   * Signs a user up, and gives what only the owner may give.
   *
   * @example
   * const ada = await project.users.create({ roles: ['editor'], twoFactor: true })
   */
  create(user?: NewTestUser): Promise<TestUser>
  /** A client that is signed in as that user, by the owner's right: without password, code or provider. */
  actAs(user: { readonly id: string }): Promise<Client>
  /** The code that the user's authenticator app shows. Each is good for one login; after 30 seconds of the clock there is another. */
  code(user: { readonly id: string }): Promise<string>
}

/** A length of time. */
export interface Length {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
  readonly milliseconds?: number
}

/** Tokens, links, codes, rate limits and `createdAt` follow it. */
export interface TestClock {
  now(): Promise<Date>
  /** Goes on from that moment. */
  set(moment: Date | string): Promise<Date>
  /**
   * Lets time pass.
   *
   * @example
   * await project.clock.advance({ hours: 25 })
   */
  advance(by: Length): Promise<Date>
  /** Back: a project's to the emulator's clock, that one to the system time. */
  reset(): Promise<Date>
}

export interface TestProvider {
  /**
   * How the project's next logins fail. Those of other projects are not touched.
   *
   * @example
   * await project.idp.next('cancelled')
   *
   * @param times how many logins, 1 by default; `Infinity` for all of them
   */
  next(outcome: ProviderFault, times?: number): Promise<void>
  /** Lets the project's logins work again. */
  works(): Promise<void>
  /** The provider's accounts, which all projects of the emulator share: `ada`, `grace`, `alan` and `katherine` are there. */
  accounts(): Promise<ProviderAccount[]>
  /** Adds an account. */
  addAccount(account: { readonly id: string } & Partial<ProviderAccount>): Promise<ProviderAccount>
  /**
   * Goes the way of a browser from the address of `startLogin`: chooses the account on the provider's page, is sent on, and
   * answers the address where the login ends, for `finishLogin`.
   *
   * @example
   * const address = await project.idp.logIn(await svc.auth.startLogin(), 'ada')
   * const result = await svc.auth.finishLogin(address)
   */
  logIn(url: string, account?: string): Promise<string>
}

/** A call for each operation of the emulator's own API, such as `control.idp.accounts.list()`: its names are known here, its values are JSON. */
export type ControlCalls<Paths = typeof operations> = {
  readonly [Name in keyof Paths]: Paths[Name] extends StreamPlace
    ? (input?: { readonly [name: string]: unknown }) => AsyncGenerator<Json, void, undefined>
    : Paths[Name] extends string
      ? (input?: { readonly [name: string]: unknown }) => Promise<Json>
      : ControlCalls<Paths[Name]>
}

/** Fault injection, for one project alone. */
export interface TestFaults {
  /**
   * Adds a fault, which is on until it is removed.
   *
   * @example
   * const lost = await project.faults.add({ kind: 'drop', when: 'after', method: 'POST', times: 1 })
   * await lost.remove()
   *
   * @throws {SvcError} `VALIDATION_ERROR` where something that its kind needs is missing
   */
  add(fault: Omit<FaultInput, 'project'>): Promise<TestFault>
  /** Adds the faults of a preset: `slow-3g`, `flaky`, `rate-storm`, `database-down`, `realtime-flaps`. */
  preset(name: FaultPreset, which?: Pick<FaultInput, 'method' | 'path' | 'user' | 'seed'>): Promise<readonly Fault[]>
  /** Those that are on, with how often each has struck. */
  list(): Promise<readonly Fault[]>
  /** Removes all faults of the project. */
  clear(): Promise<void>
}

export interface TestFault extends Fault {
  remove(): Promise<void>
}
