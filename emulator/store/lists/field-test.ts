import { sizes } from '../../../client/protocol/model/limits.js'
import { isIndexSegment, type Path } from '../../../client/protocol/model/path.js'
import { canHold, type PlainTest, parseMeanings, parseNumber, type Test } from '../../../client/protocol/model/where.js'
import { type Fragment, joinSql, literal, nothing, sql } from '../../database/port.js'
import {
  anyOf,
  cheapEnd,
  cheapStart,
  comparisons,
  escaped,
  hasEndInAnyCase,
  hasText,
  isLike,
  isLikeAnyCase,
  type Order,
} from '../sql-fragments.js'
import { fieldInstant, fieldText, fieldValue, inOrder, isOdd, isRegular } from './fields.js'
import type { KnownFields } from './indexes.js'
import { timeTest } from './time-test.js'

/** With more conditions, the planner assumes that nearly every document matches, and skips the index. */
const maxContainments = 10

/**
 * Limits the documents found by looking up single values. Above it, the whole collection is compared with all values.
 */
const maxFound = 10_000

export interface Comparison {
  readonly path: Path
  readonly operator: Order
  readonly value: string
}

/** Whether the test has so many values that each is looked up separately if all matches are wanted. */
export function looksUpValues(test: Test): boolean {
  return test.operator === 'in' && !test.isTime && new Set(test.values).size > maxContainments
}

/** Hints for finding the documents. */
export interface Help {
  /** The fields that have indexes. */
  readonly known?: KnownFields | undefined
  /**
   * Set if all matches in this collection are wanted: many values are then looked up in the index over all data, one by
   * one.
   */
  readonly foundIn?: string | undefined
}

/**
 * Compiles a test of a field in the data of `documents d`. May be null (unknown) if the field is missing. Contract 4.2.
 */
export function fieldTest(test: PlainTest, { known, foundIn }: Help): Fragment {
  if (!canExist(test.path)) return missingTest(test)
  if (test.isTime) return timeTest(fieldInstant(test.path), test, sql`(${fieldValue(test.path)} = 'null')`)
  switch (test.operator) {
    case 'eq':
      return equals(test.path, [test.value], foundIn)
    case 'ne':
      return equalsNone(test.path, [test.value])
    case 'in':
      return equals(test.path, test.values, foundIn)
    case 'notin':
      return equalsNone(test.path, test.values)
    case 'isnull':
      return test.isNull ? isNull(test.path) : sql`not ${isNull(test.path)}`
    case 'exists':
      return test.exists ? exists(test.path) : sql`not ${exists(test.path)}`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compares(test.path, [{ ...test, operator: test.operator }], known)
    case 'contains':
    case 'icontains':
      return contains(test.path, test.value, test.operator === 'icontains')
    case 'startswith':
      return startsWith(test, known)
    case 'endswith':
      return endsWith(test, known)
  }
}

/**
 * Whether a document can have such a field. Longer paths would become JSON of over a thousand levels, too deep for
 * PGlite.
 */
function canExist(path: Path): boolean {
  return path.length <= sizes.maxDocumentDepth && path.every(canHold)
}

/** Compiles a test of a field that no document has. */
export function missingTest(test: PlainTest): Fragment {
  if (test.operator === 'exists') return test.exists ? sql`false` : sql`true`
  if (test.operator === 'isnull') return test.isNull ? sql`true` : sql`false`
  return test.operator === 'ne' || test.operator === 'notin' ? sql`true` : sql`false`
}

/** Uses containment of the whole data where that is equivalent, because the index over all data supports it. */
function equals(path: Path, texts: readonly string[], foundIn: string | undefined): Fragment {
  if (path.some(isIndexSegment)) return holdsAny(path, texts)
  const values = jsonOfAll(texts)
  const whole = (json: string) => path.reduceRight((inner, segment) => `{${JSON.stringify(segment)}:${inner}}`, json)
  const wholes = values.map((json) => ({ one: whole(json), item: whole(`[${json}]`) }))
  if (values.length <= maxContainments) {
    return anyOf(wholes.flatMap(({ one, item }) => [sql`d.data @> ${one}::jsonb`, sql`d.data @> ${item}::jsonb`]))
  }
  return foundIn === undefined ? holdsAny(path, texts) : isAmongFound(foundIn, wholes, holdsAny(path, texts))
}

/** Returns the values that the texts may mean, without duplicates, as JSON. */
function jsonOfAll(texts: readonly string[]): string[] {
  return [
    ...new Set(
      texts
        .filter(canHold)
        .flatMap(parseMeanings)
        .map((value) => JSON.stringify(value)),
    ),
  ]
}

/**
 * Is always true and runs nothing, because ids are unique, but the planner expects a million rows for each document.
 * The planner ignores the time for reading large documents. It would therefore read a table of a few large ones once
 * for each value, which takes seconds. With this condition, it first reduces the documents by an index.
 */
const seemsCostly = sql`(select count(*) from generate_series(1, 1000000) where d.id = d.collection_id) = 0`

/**
 * Looks up each value in the index over all data. Merges the pending list first, because each look-up reads all of it.
 * After a thousand writes, that costs as much as a few dozen look-ups, and makes the others ten times as fast. Checks
 * the collection afterwards, because without statistics, as after an import, the planner would read the whole
 * collection for each value. Documents of other collections cost time too. Above the limit the look-ups end, and
 * `holdsOne` compares each document of the collection instead.
 */
function isAmongFound(
  collection: string,
  wholes: readonly { readonly one: string; readonly item: string }[],
  holdsOne: Fragment,
): Fragment {
  const [ones, items] = [wholes.map(({ one }) => one), wholes.map(({ item }) => item)]
  return sql`d.id = any((
    select case
      when count(*) <= ${literal(maxFound)}
        then coalesce(array_agg(found.id) filter (where found.collection_id = ${collection}::uuid), '{}')
      else array(select d.id from documents d where d.collection_id = ${collection}::uuid and ${holdsOne})
      end
    from (
      select looked.id, looked.collection_id
      from (select gin_clean_pending_list('svc.documents_data'::regclass) offset 0) as tidied
      cross join unnest(${ones}::jsonb[], ${items}::jsonb[]) as wanted (one, item)
      cross join lateral (
        select d.id, d.collection_id
        from documents d
        where (d.data @> wanted.one or d.data @> wanted.item) and ${seemsCostly}
        offset 0
      ) as looked
      limit ${literal(maxFound + 1)}
    ) as found)::uuid[])`
}

function equalsNone(path: Path, texts: readonly string[]): Fragment {
  return sql`(${holdsAny(path, texts)}) is not true`
}

/** Whether the value is one of them, or an array that contains one. Costs the same for any number of values. */
function holdsAny(path: Path, texts: readonly string[]): Fragment {
  const any = sql`any(${jsonOfAll(texts)}::jsonb[])`
  const value = fieldValue(path)
  return sql`(${value} = ${any} or (jsonb_typeof(${value}) = 'array' and ${value} @> ${any}))`
}

function isNull(path: Path): Fragment {
  return sql`(coalesce(${fieldValue(path)}, 'null') = 'null')`
}

/** Whether the document has the field, even with null. */
function exists(path: Path): Fragment {
  return sql`(${fieldValue(path)} is not null)`
}

/** Whether the test compares by order. Times are compared one by one. */
export function isComparison(test: Test): test is Comparison {
  return test.operator !== 'not' && test.operator in comparisons && !test.isTime
}

/** Combines comparisons of one field, so that an index reads only the range between them. */
export function comparesAll(path: Path, bounds: readonly Comparison[], { known }: Help): Fragment {
  return canExist(path) ? compares(path, bounds, known) : sql`false`
}

const firstString = inOrder(sql`'""'::jsonb`)
const lowestNumber = inOrder(sql`'-1.7976931348623157e308'::jsonb`)
const firstBoolean = inOrder(sql`'false'::jsonb`)

/** The bounds if their texts mean values of one type, which lie from `start` on and before `end`. */
interface Meaning {
  readonly bounds: readonly { readonly operator: Order; readonly limit: Fragment }[]
  readonly start: Fragment
  readonly end: Fragment
}

/**
 * In jsonb's order every string is less than every number, and every number less than `false`; an empty array is less
 * than everything. So a half-open range gets a second bound that excludes the other types.
 */
function compares(path: Path, bounds: readonly Comparison[], known: KnownFields | undefined): Fragment {
  const value = inOrder(fieldValue(path))
  const meaning = (limits: readonly unknown[], start: Fragment, end: Fragment): Meaning => ({
    bounds: bounds.map(({ operator }, at) => ({
      operator,
      limit: inOrder(sql`${JSON.stringify(limits[at])}::jsonb`),
    })),
    start,
    end,
  })
  const texts = bounds.map(({ value: text }) => text)
  const numbers = texts.map(parseNumber)
  const asTexts = texts.every(canHold) ? [meaning(texts, firstString, lowestNumber)] : []
  const asNumbers = numbers.includes(undefined) ? [] : [meaning(numbers, lowestNumber, firstBoolean)]
  const between = (given: readonly Meaning[], where: Fragment = nothing) =>
    given.map((one) => sql`(${where}${liesBetween(value, one)})`)
  if (known?.has(path, 'asc') || known?.has(path, 'desc')) {
    const [regular, odd] = [sql`${isRegular(path)} and `, sql`${isOdd(path)} and `]
    return anyOf([...between(asNumbers, regular), ...between(asTexts, regular), ...between(asTexts, odd)])
  }
  const isWithin = anyOf(between([...asNumbers, ...asTexts]))
  const canBeNear = asTexts.length > 0 && bounds.every(({ operator }) => operator !== 'lte')
  return canBeNear ? sql`(${isNear(path, [...asTexts, ...asNumbers])} and ${isWithin})` : isWithin
}

function liesBetween(value: Fragment, { bounds, start, end }: Meaning): Fragment {
  const conditions = bounds.map(({ operator, limit }) => sql`${value} ${comparisons[operator]} ${limit}`)
  if (!bounds.some(isUpper)) conditions.push(sql`${value} < ${end}`)
  if (bounds.every(isUpper)) conditions.push(sql`${value} >= ${start}`)
  return joinSql(conditions, ' and ')
}

function isUpper({ operator }: { readonly operator: Order }): boolean {
  return operator === 'lt' || operator === 'lte'
}

/**
 * Filters roughly by the bounds. Without an index, extracting the field takes most of the time: this does it once, the
 * comparisons up to three times. The ranges are in order, include their first value and exclude their last, so `lte`
 * does not qualify.
 */
function isNear(path: Path, meanings: readonly Meaning[]): Fragment {
  const [field, ...below] = path
  // Gives the same result for an object, faster. All data are objects.
  const value = field !== undefined && below.length === 0 ? sql`(d.data -> ${field}::text)` : fieldValue(path)
  const ends = meanings.flatMap(({ bounds, start, end }) => [
    bounds.find((bound) => !isUpper(bound))?.limit ?? start,
    bounds.find(isUpper)?.limit ?? end,
  ])
  return sql`width_bucket(${inOrder(value)}, (select array[${joinSql(ends, ', ')}])) in (1, 3)`
}

/**
 * Adds a condition that can use an index over the field's lower-cased text. It is slightly wider: the text of an array
 * is JSON, which escapes some characters, so the pattern accepts anything in their place.
 */
function contains(path: Path, text: string, ignoresCase: boolean): Fragment {
  if (!canHold(text)) return sql`false`
  const loose = `%${escaped(cheapStart(text)).replaceAll(/\\\\|["\p{Cc}]/gu, '%')}%`
  return sql`(${isLikeAnyCase(fieldText(path), loose)} and case jsonb_typeof(${fieldValue(path)})
    when 'string' then ${hasText(fieldText(path), text, ignoresCase)}
    when 'array' then exists (
      select from jsonb_array_elements(${fieldValue(path)}) as item (value)
      where jsonb_typeof(item.value) = 'string' and ${hasText(sql`(item.value #>> '{}')`, text, ignoresCase)})
    else false end)`
}

type EndTest = Extract<PlainTest, { readonly ignoresCase?: true }>

function startsWith({ path, value: text, ignoresCase }: EndTest, known: KnownFields | undefined): Fragment {
  if (!canHold(text)) return sql`false`
  const pattern = `${escaped(text)}%`
  const like = ignoresCase ? isLikeAnyCase : isLike
  return isString(path, like(fieldText(path), pattern), { pattern, known })
}

function endsWith({ path, value: text, ignoresCase }: EndTest, known: KnownFields | undefined): Fragment {
  if (!canHold(text)) return sql`false`
  const isEnd = ignoresCase
    ? hasEndInAnyCase(fieldText(path), text)
    : sql`right(${fieldText(path)}, ${[...text].length}::int) = ${text}`
  return isString(path, isEnd, { pattern: `%${escaped(cheapEnd(text))}`, known })
}

/** Adds a condition for the index over the lower-cased text, if there is one. */
function isString(
  path: Path,
  condition: Fragment,
  { pattern, known }: { pattern: string; known: KnownFields | undefined },
): Fragment {
  const first = known?.has(path, 'text') ? sql`${isLikeAnyCase(fieldText(path), pattern)} and ` : nothing
  return sql`(${first}${condition} and jsonb_typeof(${fieldValue(path)}) = 'string')`
}
