/** Lists users: the same filters and orders as for documents, over the view that shows users without their secrets. */
import type { ListQuery } from '../../../client/protocol/model/page.js'
import { canHold, type Where } from '../../../client/protocol/model/where.js'
import { type Fragment, nothing, plannedEachTime, sql } from '../../database/port.js'
import { isExactly, pageEnd } from '../sql-fragments.js'
import { buildOrdering } from './order.js'
import { compileWhere, type Reach, type Reader } from './where.js'

/** The project, and what related filters may reach. */
export type UserListTarget = Pick<Reach, 'project'> & Reader

const columns = sql`u.id, u.email, u.data, u.roles, u.oauth_id, u.email_verified, u.created_at, u.updated_at`

/** Returns the rows of a page, or one row without an id for the total of an empty page. */
export function buildUserPage(target: UserListTarget, query: ListQuery): Fragment {
  const isFiltered = query.where.all.length > 0
  if (!isFiltered && query.sort.length === 0) return newestUsers(target.project, query)
  return plannedEachTime(matchingUsers(target, query))
}

/** The most common list: reads the end of the index over project and id. */
function newestUsers(project: string, query: ListQuery): Fragment {
  return sql`
    select counted.total, ${columns}
    from (${userTotal(project, query.count)}) as counted
    left join (
      select ${columns}
      from users u
      where ${isExactly(sql`u.project_id`, project)}
      order by u.project_id desc, u.id desc
      ${pageEnd(query)}
    ) u on true
    order by u.id desc`
}

function matchingUsers(target: UserListTarget, query: ListQuery): Fragment {
  const { select, names, order } = buildOrdering(query.sort)
  const condition = compileWhere(query.where, { ...target, populate: query.populate, links: query.links })
  const total = query.count ? sql`select count(*)::int as total from matched` : sql`select null::int as total`
  return sql`
    with matched as materialized (
      ${select(sql`from user_records d where d.project_id = ${target.project} and ${condition} ${matchesAddress(target.project, query.where)}`)}
    ), page as (
      select id, ${names} from matched order by ${order} limit ${query.limit}::bigint offset ${query.offset}::bigint
    )
    select counted.total, ${columns}
    from (${total}) as counted
    left join page on true
    left join users u on u.id = page.id
    order by ${order}`
}

/**
 * Finds an address through the unique index instead of reading a million users. The filter still checks its exact
 * spelling.
 */
function matchesAddress(project: string, { all }: Where): Fragment {
  for (const { any } of all) {
    const [test, another] = any
    if (!test || another || test.path.length > 1 || test.path[0] !== 'email' || test.operator !== 'eq') continue
    if (!canHold(test.value)) continue
    return sql`and d.id in (
        select u.id from users u where u.project_id = ${project} and u.email_key = ${test.value.toLowerCase()}
      )`
  }
  return nothing
}

function userTotal(project: string, isWanted: boolean): Fragment {
  if (!isWanted) return sql`select null::int as total`
  return sql`select c.users as total from user_counts c where c.project_id = ${project}`
}
