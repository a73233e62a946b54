/**
 * Implements `matches` of client/protocol/model/matching.ts in SQL. test/emulator/store/where-parity.test.ts compares the two.
 */

import { memberPrefix } from '../../../client/protocol/model/access/member-word.js'
import type { PartWordKind } from '../../../client/protocol/model/access/permission-words.js'
import { ownerWord } from '../../../client/protocol/model/collection.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { LinkNames } from '../../../client/protocol/model/page.js'
import { type Path, withoutIndexes } from '../../../client/protocol/model/path.js'
import {
  type Clause,
  ownField,
  ownName,
  type PlainTest,
  type Test,
  type Where,
} from '../../../client/protocol/model/where.js'
import { type Fragment, joinSql, nothing, sql } from '../../database/port.js'
import { type Covered, isCovered } from '../memberships.js'
import { isCreatedBy } from '../sql-fragments.js'
import { type Comparison, comparesAll, fieldTest, type Help, isComparison, missingTest } from './field-test.js'
import { ownFieldTest } from './own-field-test.js'

/** Limits the subqueries for linked records in one list; each takes the database a millisecond just to plan. */
const maxSubqueries = 500

/** A longer path finds nothing, however many of its segments are links, and each subquery would contain all of it. */
const maxSegments = sizes.maxPopulateDepth + sizes.maxDocumentDepth

/** Limits what a filter may reach beyond the document (contract 4.4), and has hints for the document itself. */
export interface Reach extends Help {
  readonly project: string
  /** Paths whose ids are replaced by the records they link to. */
  readonly populate: readonly Path[]
  /** The names of the fields with the ids of a link. Default: the name itself. */
  readonly links?: LinkNames | undefined
  /** Whether the caller may read every collection, whatever role it requires. */
  readonly mayReadAll: boolean
  /** The caller's roles. */
  readonly roles: readonly string[]
  /** The names of the only collections that the caller may read; then users are excluded too. Default: any. */
  readonly collections?: readonly string[] | undefined
  /** The signed-in user, who may read documents as their creator or as a member if the permissions say so. */
  readonly user?: string | undefined
  /** Only documents that this user created. */
  readonly creator?: string | undefined
  /** Only the documents that a permission covers. */
  readonly part?: Covered | undefined
}

/** The permissions of the caller. */
export type Reader = Pick<Reach, 'mayReadAll' | 'roles' | 'collections' | 'user'>

/** Compiles a condition over `documents d`. Passes values and field names as parameters, never as text. */
export function compileWhere(where: Where, reach: Reach): Fragment {
  const { creator, part } = reach
  const allowed = [
    ...(creator === undefined ? [] : [isCreatedBy(creator)]),
    ...(part === undefined ? [] : [isCovered(part)]),
  ]
  if (where.all.length === 0) return allowed.length === 0 ? sql`true` : joinSql(allowed, ' and ')
  requireBounded(where, reach)
  return joinSql([...allowed, ...mergeRanges(where, reach)], ' and ')
}

/** Compiles each clause separately, except comparisons of one field. */
function mergeRanges({ all }: Where, reach: Reach): Fragment[] {
  const ranges = new Map<string, [Comparison, ...Comparison[]]>()
  const others: Fragment[] = []
  for (const clause of all) {
    const test = fieldTestAlone(clause, reach.populate)
    if (!test || !isComparison(test)) {
      others.push(clauseSql(clause, reach))
      continue
    }
    const key = JSON.stringify(test.path)
    const range = ranges.get(key)
    if (range) range.push(test)
    else ranges.set(key, [test])
  }
  return [...[...ranges.values()].map((range) => comparesAll(range[0].path, range, reach)), ...others]
}

/** The only test of a clause, if it is of a field in the document's data. */
export function fieldTestAlone({ any }: Clause, populate: readonly Path[]): Test | undefined {
  const [test, another] = any
  return test && !another && !ownField(test.path) && !isLinked(test.path, populate) ? test : undefined
}

/** Whether the path leads through a link to a field of other records. */
export function isLinked(path: Path, populate: readonly Path[]): boolean {
  return path.length > 1 && populate.some(([first]) => first === path[0])
}

function clauseSql({ any }: Clause, reach: Reach): Fragment {
  if (any.length === 0) return sql`false`
  return sql`(${joinSql(
    any.map((test) => testSql(test, reach)),
    ' or ',
  )})`
}

function testSql(test: Test, reach: Reach): Fragment {
  // A test of a missing field may be unknown, which must not become true by negation either.
  if (test.operator === 'not') return sql`(${testSql(test.test, { ...reach, foundIn: undefined })}) is not true`
  if (test.path.length > maxSegments) return missingTest(test)
  const own = ownField(test.path)
  return own ? ownFieldTest(own, test) : nestedTest([], test.path, test, reach)
}

/**
 * Compiles a test of the rest of its path below a field that is not a link, or below the document if `above` is empty.
 */
function nestedTest(above: readonly string[], path: Path, test: PlainTest, reach: Reach): Fragment {
  const [field, next, ...rest] = path
  const populated = reach.populate.filter(([first]) => first === field)
  if (next === undefined || populated.length === 0) return fieldTest({ ...test, path: belowAll(above, path) }, reach)
  return linkedTest([...above, field], [next, ...rest], test, { ...reach, populate: populated.flatMap(belowFirst) })
}

/**
 * Compiles a test of the records that a field links to: any document or user may match. If nothing is linked, or the
 * requested field is hidden from the caller, tests the field itself. The inner `d` shadows the outer one, so that a
 * linked record's test is the same as any other.
 */
function linkedTest(field: readonly string[], below: Path, test: PlainTest, reach: Reach): Fragment {
  const linked = (condition: Fragment) => sql`exists (
    select from unnest(${linkedIds(field, reach)}) as link (id)
    cross join lateral (
      select d.id, d.data, d.created_at, d.updated_at
      from documents d
      join collections c on c.id = d.collection_id
      where d.id = link.id and c.project_id = ${reach.project} and ${readable(reach)} and ${hidesNothing(reach, below)}
      union all
      select u.id, u.data, u.created_at, u.updated_at
      from user_records u
      where u.id = link.id and u.project_id = ${reach.project}${reach.collections ? sql` and false` : nothing}
    ) as d
    where ${condition})`
  const inRecord = testSql({ ...test, path: ownName(below) }, { ...reach, known: undefined, foundIn: undefined })
  const inField = nestedTest(field, below, test, reach)
  return sql`(${linked(inRecord)} or (${inField} and not ${linked(sql`true`)}))`
}

/**
 * The ids in a field of `d`. Below arrays of objects, those of each, as in core/documents/populate.ts. Contract 4.6.
 */
function linkedIds(field: readonly string[], { links }: Pick<Reach, 'links'>): Fragment {
  const [link, ...deeper] = field
  // Only fields of a record itself have other names.
  if (links && link !== undefined && deeper.length === 0) {
    const sources = links(link).map((name) => sql`nullif(svc.record_ids(d.data -> ${name}::text), '{}')`)
    return sql`coalesce(${joinSql(sources, ', ')})`
  }
  const ids = sql`svc.record_ids(d.data #> ${field}::text[])`
  if (field.length === 1) return ids
  const inItems = `$${field.map((name) => `.${JSON.stringify(name)}`).join('')}[*]`
  return sql`(${ids} || svc.record_ids(jsonb_path_query_array(d.data, ${inItems}::text::jsonpath)))`
}

/** Whether the caller may read the document `d` of the collection `c`, as in core/access/grant.ts. */
export function readable(reader: Reader): Fragment {
  const { mayReadAll, user } = reader
  const isWhole = readableWhole(reader)
  if (mayReadAll || user === undefined) return isWhole
  const isInPart = joinSql(
    Object.values(partConditions).map((conditionFor) => conditionFor(user)),
    ' or ',
  )
  return sql`(${isWhole} or (${inScope(reader)} and (${isInPart})))`
}

/** Whether the permission to read covers the document by words of each kind. */
const partConditions: { readonly [Kind in PartWordKind]: (user: string) => Fragment } = {
  owner: (user) => sql`c.permissions -> 'read' ? ${ownerWord} and ${isCreatedBy(user)}`,
  member: (user) => sql`c.permissions ->> 'read' like ${`%"${memberPrefix}%`}
    and svc.is_member(c.permissions -> 'read', d.data, c.schema, c.project_id, ${user})`,
}

/** Whether the caller may read all documents of the collection `c`. */
export function readableWhole(reader: Reader): Fragment {
  const { mayReadAll, roles } = reader
  if (mayReadAll) return inScope(reader)
  const isOpen = sql`coalesce(jsonb_array_length(c.permissions -> 'read'), 0) = 0`
  const isPermitted = roles.length === 0 ? isOpen : sql`(${isOpen} or c.permissions -> 'read' ?| ${roles}::text[])`
  return sql`(${inScope(reader)} and ${isPermitted})`
}

/**
 * Whether the collection `c` hides nothing from the caller, at a path or at all, as in
 * core/access/closed-fields.ts. Permissions cannot name items of arrays.
 */
export function hidesNothing({ mayReadAll, roles }: Reader, path?: Path): Fragment {
  if (mayReadAll) return sql`true`
  const isAt = path ? sql`and ${overlaps(sql`h.path`, withoutIndexes(path))}` : nothing
  return sql`(not c.permissions ? 'hidden' or not exists (
    select from jsonb_each(c.permissions -> 'hidden') as h (path, roles)
    where not h.roles ?| ${roles}::text[] ${isAt}
  ))`
}

/**
 * Whether one path is a prefix of the other. Compares texts: a list of all prefixes would grow with the square of the
 * path.
 */
function overlaps(dotted: Fragment, path: Path): Fragment {
  const [one, other] = [sql`${dotted} || '.'`, sql`${`${path.join('.')}.`}`]
  return sql`(starts_with(${one}, ${other}) or starts_with(${other}, ${one}))`
}

function inScope({ collections }: Reader): Fragment {
  return collections === undefined ? sql`true` : sql`c.name = any(${collections}::text[])`
}

/**
 * Each link on the path doubles the subqueries, because its field may contain ids or an object. So their number is
 * limited.
 */
function requireBounded({ all }: Where, { populate }: Reach) {
  const questions = all.flatMap(({ any }) => any).reduce((sum, { path }) => sum + 2 ** linksOn(path, populate) - 1, 0)
  if (questions > maxSubqueries) throw new SvcError('INVALID_QUERY', 'Too many filters on populated fields.')
}

function linksOn([field, next, ...rest]: Path, populate: readonly Path[]): number {
  const populated = populate.filter(([first]) => first === field)
  return next === undefined || populated.length === 0 ? 0 : 1 + linksOn([next, ...rest], populated.flatMap(belowFirst))
}

function belowFirst([, next, ...rest]: Path): Path[] {
  return next === undefined ? [] : [[next, ...rest]]
}

function belowAll([first, ...others]: readonly string[], path: Path): Path {
  return first === undefined ? path : [first, ...others, ...path]
}
