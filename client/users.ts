import type { CallOptions } from './collection-writes.js'
import { readLinks } from './links.js'
import type { Fields } from './model/document.js'
import type { ListQuery, Page, Sort } from './model/page.js'
import { parsePath } from './model/path.js'
import type { AppUser } from './model/user.js'
import type { Session } from './session.js'
import { sortOf } from './sort.js'
import type { WhereInput } from './types.js'
import { toWhere } from './where.js'
import { readUser, readUsers } from './wire/answers.js'
import { writeListQuery } from './wire/query.js'

export interface UserListOptions<Data> extends CallOptions {
  /** Fields of `data` by their bare names, and `id`, `email`, `roles`. */
  readonly where?: WhereInput<Data & { email: string }>
  readonly sort?: string | Sort
  readonly populate?: readonly string[]
  readonly limit?: number
  readonly offset?: number
  readonly count?: boolean
}

/** The users of a project, for holders of its key. */
export function openUsers<Data extends object = Fields>({ dialect, send }: Session) {
  const path = '/auth-collections/users'
  return {
    /**
     * Lists users, a page at a time, filtered and sorted like documents.
     *
     * @example
     * const { items } = await svc.users.list({ sort: '-createdAt', limit: 10 })
     */
    async list(options: UserListOptions<Data> = {}): Promise<Page<AppUser<Data>>> {
      const { where, sort, populate = [], limit, offset, count, signal } = options
      const paths = populate.map(parsePath)
      const query: Partial<ListQuery> = {
        where: toWhere(where),
        sort: sortOf(sort),
        populate: paths,
        limit,
        offset,
        count,
      }
      const spoken = await dialect()
      const asked = { method: 'GET', path, query: writeListQuery(spoken, query), isRepeatable: true, signal } as const
      const { body, header } = await send(asked)
      const page = readUsers(spoken, body, header)
      for (const { data } of page.items) readLinks(spoken, data, paths)
      return { ...page, offset: offset ?? 0 } as Page<AppUser<Data>>
    },

    /** One user. @throws {SvcError} `USER_NOT_FOUND` */
    async get(id: string, { signal }: CallOptions = {}): Promise<AppUser<Data>> {
      const asked = { method: 'GET', path: `${path}/${encodeURIComponent(id)}`, isRepeatable: true, signal } as const
      return readUser(await dialect(), (await send(asked)).body) as AppUser<Data>
    },
  }
}

export type Users<Data extends object = Fields> = ReturnType<typeof openUsers<Data>>
