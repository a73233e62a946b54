import type { CallOptions } from '../collections/collection-writes.js'
import { listPage, toQuery } from '../collections/list-pages.js'
import type { Fields } from '../protocol/model/document.js'
import type { Page, Sort } from '../protocol/model/page.js'
import type { AppUser } from '../protocol/model/user.js'
import { segment, users } from '../protocol/wire/paths/encode.js'
import { decodeUser } from '../protocol/wire/records/decode.js'
import type { WhereInput } from '../types.js'
import type { Session } from './session.js'

export interface UserListOptions<Data> extends CallOptions {
  /** Filters by fields of `data`, without a prefix, and by `id`, `email` and `roles`. */
  readonly where?: WhereInput<Data & { email: string; roles: readonly string[] }>
  readonly sort?: string | Sort | readonly (string | Sort)[]
  readonly populate?: readonly string[]
  readonly limit?: number
  readonly offset?: number
  readonly count?: boolean
}

/** Opens the calls that read the users of a project with its key. */
export function openUsers<Data extends object = Fields>(session: Session) {
  return {
    /**
     * Lists one page of users. Filters and sorts like documents.
     *
     * @example
     * const { items } = await svc.users.list({ sort: '-createdAt', limit: 10 })
     */
    async list(options: UserListOptions<Data> = {}): Promise<Page<AppUser<Data>>> {
      return listPage(session, () => users, 'users', decodeUser, toQuery(options)) as Promise<Page<AppUser<Data>>>
    },

    /**
     * Returns one user.
     *
     * @example
     * const [first] = (await svc.users.list({ limit: 1 })).items
     * if (first) console.log((await svc.users.get(first.id)).email)
     *
     * @throws {SvcError} `USER_NOT_FOUND`
     */
    async get(id: string, options?: CallOptions): Promise<AppUser<Data>> {
      return session.ask('GET', `${users}/${segment(id)}`, decodeUser, options) as Promise<AppUser<Data>>
    },
  }
}

export type Users<Data extends object = Fields> = ReturnType<typeof openUsers<Data>>
