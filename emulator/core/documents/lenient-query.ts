/** Changes list queries as the rules that a request lifts require. */
import { isInScope } from '../../../client/protocol/model/access/key-scope.js'
import type { Leniency } from '../../../client/protocol/model/leniency.js'
import type { ListQuery, Sort } from '../../../client/protocol/model/page.js'
import { anyOf, type Clause, ownField, type Test, type Where } from '../../../client/protocol/model/where.js'
import { keyScopes } from '../access/scopes.js'
import { findCollection } from '../collections/collections.js'
import type { Context } from '../context.js'

type Asked = Pick<ListQuery, 'where'> & { readonly sort?: readonly Sort[] }

export async function lenientQuery<Query extends Asked>(ctx: Context, query: Query): Promise<Query> {
  const { leniency } = ctx
  if (!leniency) return query
  const where = leniency.dropsLostLinks ? await withoutLostLinks(ctx, query.where) : query.where
  const { sort } = query
  return {
    ...query,
    where: leniency.matchesMissing ? where : { all: where.all.flatMap(requirePresent) },
    ...(sort && { sort: sortAsText(sort, leniency) }),
  }
}

/** Adds to `ne` and `notin` that the field is there. */
function requirePresent({ any }: Clause): readonly Clause[] {
  return anyOf(any.map((test) => [{ any: [test] }, ...presence(test)]))
}

function presence({ path, operator }: Test): readonly Clause[] {
  const isAsked = (operator === 'ne' || operator === 'notin') && !ownField(path)
  return isAsked ? [{ any: [{ path, operator: 'isnull', isNull: false }] }] : []
}

function sortAsText(sort: readonly Sort[], { sortsAsText }: Leniency): readonly Sort[] {
  const [first] = sort
  if (!sortsAsText || !first || ownField(first.path)) return sort
  // Indexes hold values in the order of JSON. A second field keeps the plan from using them.
  return [...sort.map((one) => ({ ...one, asText: true as const })), { path: ['createdAt'], direction: 'asc' }]
}

/** Leaves out tests of fields behind a link that names neither a collection nor the users. */
async function withoutLostLinks(ctx: Context, { all }: Where): Promise<Where> {
  const names = new Set(all.flatMap(({ any }) => any.flatMap(({ path }) => (path.length > 1 ? [path[0]] : []))))
  const lost = new Set<string>()
  for (const name of names) if (!(await isLinkTarget(ctx, name))) lost.add(name)
  if (lost.size === 0) return { all }
  const isKept = ({ path }: Test) => path.length < 2 || !lost.has(path[0])
  const clauses = all.map(({ any }) => ({ any: any.filter(isKept) }))
  return { all: clauses.filter(({ any }) => any.length > 0) }
}

const userNames = ['user', 'users', 'app_user', 'app_users', 'appuser', 'appusers']

async function isLinkTarget(ctx: Context, name: string): Promise<boolean> {
  if (userNames.includes(name)) return true
  for (const candidate of [name, plural(name), name.replace(/s$/, '')]) {
    if (isInScope(keyScopes(ctx.caller), 'read', candidate) && (await findCollection(ctx, candidate))) return true
  }
  return false
}

function plural(name: string): string {
  if (name.endsWith('y')) return `${name.slice(0, -1)}ies`
  return name.endsWith('s') ? `${name}es` : `${name}s`
}
