/** Reads the flags that filter and sort. They use the double-underscore spelling in every dialect. */
import * as Flags from '@oclif/core/flags'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { Sort } from '../../client/protocol/model/page.js'
import { parsePath } from '../../client/protocol/model/path.js'
import { anyOf, type Clause, negate, negateAll, type Test, type Where } from '../../client/protocol/model/where.js'
import { dialects } from '../../client/protocol/wire/dialects.js'
import { decodeWhere as readConditions, splitList } from '../../client/protocol/wire/query/decode.js'
import { misuse } from '../base/failure.js'

export const whereFlags = {
  where: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    char: 'w',
    description: 'only documents that match, for example status=published, views__gte=100, tags__in=a,b',
    helpValue: 'field=value',
  }),
  or: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    description: 'at least one --or condition must match; with group names, at least one per group',
    helpValue: '[group:]field=value',
  }),
  not: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    description: 'only documents that do not match; with group names, that do not match all of a group',
    helpValue: '[group:]field=value',
  }),
  exists: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    description: 'only documents that have the field, even if it is null',
    helpValue: 'field',
  }),
  missing: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    description: 'only documents without the field',
    helpValue: 'field',
  }),
}

export type WhereFlags = { readonly [Name in keyof typeof whereFlags]?: readonly string[] | undefined }

/** The flags that select documents by condition. */
export const conditionFlags = Object.keys(whereFlags) as (keyof typeof whereFlags)[]

export function hasConditions(flags: WhereFlags): boolean {
  return conditionFlags.some((name) => flags[name] !== undefined)
}

export const sortFlag = Flags.string({
  char: 's',
  description: 'fields to sort by, with a minus for descending order, for example -points,title',
  helpValue: 'field',
})

export const populateFlag = Flags.string({
  multiple: true,
  multipleNonGreedy: true,
  delimiter: ',',
  description: 'fields whose linked documents to include, for example author,comments.author',
  helpValue: 'field',
})

export const selectFlag = Flags.string({
  multiple: true,
  multipleNonGreedy: true,
  delimiter: ',',
  description: 'the only fields to read, besides id and times, for example title,author.name',
  helpValue: 'field',
})

/** Combines the conditions of all flags. */
export function readWhere({ where = [], or = [], not = [], exists = [], missing = [] }: WhereFlags): Where {
  const excluded = readGroups(not)
  const alone = excluded.get('') ?? []
  excluded.delete('')
  return {
    all: [
      ...where.flatMap((condition) => readCondition(splitCondition(condition))),
      ...[...readGroups(or).values()].flatMap(anyOf),
      ...[...alone, ...[...excluded.values()].map((conditions) => conditions.flat())].flatMap(negateAll),
      ...exists.map((field) => existence(field, true)),
      ...missing.map((field) => existence(field, false)),
    ],
  }
}

function readGroups(conditions: readonly string[]): Map<string, (readonly Clause[])[]> {
  const groups = new Map<string, (readonly Clause[])[]>()
  for (const condition of conditions) {
    const [group, rest] = splitGroup(condition)
    groups.set(group, [...(groups.get(group) ?? []), readCondition(splitCondition(rest))])
  }
  return groups
}

function existence(field: string, exists: boolean): Clause {
  return { any: [{ path: parsePath(field), operator: 'exists', exists }] }
}

/** Accepts both words in every dialect: `__contains` is the service's own, `__icontains` ignores case. */
function readCondition([name, value]: readonly [string, string]): readonly Clause[] {
  const { all } = readDoubled(name.replace(/__icontains$/, '__contains'), value)
  return name.endsWith('__contains') ? all.map(({ any }) => ({ any: any.map(asContains) })) : all
}

function readDoubled(name: string, value: string): Where {
  try {
    return readConditions(dialects.a, [[name, value]])
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    // The service's message names only one of the two words.
    throw new SvcError(error.code, error.message.replace(' __contains,', ' __contains, __icontains,'))
  }
}

function asContains(test: Test): Test {
  if (test.operator === 'not') return negate(asContains(test.test))
  return test.operator === 'icontains' ? { ...test, operator: 'contains' } : test
}

/** A condition as typed, with the tests it stands for. */
export interface Condition {
  readonly text: string
  readonly tests: readonly Test[]
}

/** Returns each condition that a document must meet. Negated conditions are met by documents without the field. */
export function listConditions({ where = [], or = [], exists = [] }: WhereFlags): Condition[] {
  const conditions = [...where, ...or.map((one) => splitGroup(one)[1])].map((text) => ({
    text,
    tests: readCondition(splitCondition(text)).flatMap(({ any }) => any),
  }))
  const existing = exists.map((field) => ({ text: `--exists ${field}`, tests: existence(field, true).any }))
  return [...conditions, ...existing].filter(({ tests }) => tests.every(({ operator }) => operator !== 'not'))
}

/** Splits at commas; `\,` is a comma in a name. */
export function readSort(text: string | undefined): readonly Sort[] {
  if (text === undefined) return []
  return splitList(text).map((part) => {
    const name = part.replace(/^[-+]/, '').replace(/^\\(?=-)/, '')
    if (name === '') throw misuse(`Not a valid order: --sort "${text}".`, 'Use --sort title or --sort -points,title.')
    return { path: parsePath(name), direction: part.startsWith('-') ? 'desc' : 'asc' }
  })
}

/** Splits `price:views__gte=1` into the group `price` and a condition. A leading colon (`:a:b=1`) means no group. */
function splitGroup(condition: string): readonly [group: string, condition: string] {
  const [, group, rest] = /^([\w-]*):([^=].*)$/s.exec(condition) ?? []
  return group === undefined || rest === undefined ? ['', condition] : [group, rest]
}

/** Suggests the right spelling for `views>=100`. */
const suffixBySign: { readonly [sign: string]: string } = { '>': 'gte', '<': 'lte', '!': 'ne' }

function splitCondition(condition: string): readonly [string, string] {
  const at = condition.indexOf('=')
  if (at < 1) throw misuse(`Not a valid condition: "${condition}".`, 'Use status=published or views__gte=100.')
  const [field, value] = [condition.slice(0, at), condition.slice(at + 1)]
  const suffix = suffixBySign[field.at(-1) ?? '']
  if (suffix) throw misuse(`Not a valid condition: "${condition}".`, `Use ${field.slice(0, -1)}__${suffix}=${value}.`)
  return [field, value]
}
