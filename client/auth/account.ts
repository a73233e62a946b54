/** Reads and updates the signed-in user. */
import type { CallOptions } from '../collections/collection-writes.js'
import { getLinked } from '../collections/list-pages.js'
import { type WithFiles, writeForm } from '../files/forms.js'
import type { Fields } from '../protocol/model/document.js'
import type { JsonObject } from '../protocol/model/json.js'
import type { AppUser } from '../protocol/model/user.js'
import { decodeUser } from '../protocol/wire/records/decode.js'
import type { SignedIn } from './auth-state.js'
import type { Session } from './session.js'

export interface AccountUpdate<Data = Fields> {
  /** Fields to change. Values may be files. Other fields stay as they are. */
  readonly data?: Partial<WithFiles<Data>>
  readonly append?: { readonly [Field in keyof Data]?: unknown }
  readonly remove?: { readonly [Field in keyof Data]?: unknown }
  readonly email?: string
  readonly password?: string
  /** Required to change the password, unless the login is less than ten minutes old. */
  readonly currentPassword?: string
}

export function accountCalls<Data extends object>(session: Session) {
  const { ask, auth } = session

  async function keep(user: AppUser): Promise<AppUser<Data>> {
    // Ignores late responses about another user or an older state, and responses without changes.
    const isMeant = ({ user: known }: SignedIn) =>
      known.id === user.id && !(known.updatedAt > user.updatedAt) && JSON.stringify(known) !== JSON.stringify(user)
    await auth.amend(isMeant, { user })
    return user as AppUser<Data>
  }

  return {
    /**
     * Returns the signed-in user and token known to this client, without a request.
     *
     * @example
     * console.log((await svc.auth.session())?.user.email ?? 'nobody')
     */
    session(): Promise<SignedIn<Data> | undefined> {
      return auth.current() as Promise<SignedIn<Data> | undefined>
    },

    /**
     * Calls the listener at each login, change and logout. Returns a function that removes it.
     *
     * @example
     * const stop = svc.auth.onChange((session) => console.log(session?.user.email ?? 'nobody'))
     * stop()
     */
    onChange(listener: (session: SignedIn<Data> | undefined) => void): () => void {
      return auth.onChange(listener as Parameters<typeof auth.onChange>[0])
    },

    /**
     * Fetches the signed-in user.
     *
     * @example
     * await svc.auth.signUp({ email: 'lise@example.com', password: 'Correct4Horse' })
     * console.log((await svc.auth.me()).roles)
     */
    async me(options?: CallOptions): Promise<AppUser<Data>> {
      return keep(await ask('GET', '/auth-collections/me', decodeUser, options))
    },

    /**
     * Fetches the signed-in user with linked records instead of ids.
     *
     * @example
     * await svc.auth.signUp({ email: 'hedy@example.com', password: 'Correct4Horse', data: { favourite: 'none' } })
     * console.log((await svc.auth.user({ populate: ['favourite'] })).data)
     */
    user(options: CallOptions & { populate?: readonly string[] } = {}): Promise<AppUser<Data>> {
      return getLinked(session, () => '/auth-collections/user', decodeUser, options) as Promise<AppUser<Data>>
    },

    /**
     * Updates the signed-in user.
     *
     * @example
     * await svc.auth.signUp({ email: 'mary@example.com', password: 'Correct4Horse' })
     * await svc.auth.update({ data: { name: 'Mary' } })
     *
     * @throws {SvcError} `EMAIL_ALREADY_EXISTS`, `INVALID_CREDENTIALS`, `VALIDATION_ERROR`
     */
    async update(changes: AccountUpdate<Data>, options?: CallOptions): Promise<AppUser<Data>> {
      const { append: $append, remove: $remove, data = {}, ...rest } = changes
      const sent = writeForm(data, (plain) => ({ ...rest, data: plain, $append, $remove }) as JsonObject)
      return keep(await ask('PATCH', '/auth-collections/user', decodeUser, { ...options, ...sent }))
    },

    /**
     * Gets a new token for the same session. The client does this automatically before the token expires.
     *
     * @example
     * await svc.auth.signUp({ email: 'joan@example.com', password: 'Correct4Horse' })
     * const token = await svc.auth.refresh()
     */
    refresh(): Promise<string> {
      return session.refresh()
    },
  }
}
