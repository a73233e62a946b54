/** Reads `--where`, `--or`, and `--sort`. They use the double-underscore spelling in every dialect. */
import * as Flags from '@oclif/core/flags'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { Sort } from '../../client/protocol/model/page.js'
import { parsePath } from '../../client/protocol/model/path.js'
import type { Clause, Test, Where } from '../../client/protocol/model/where.js'
import { dialects } from '../../client/protocol/wire/dialects.js'
import { decodeWhere as readConditions } from '../../client/protocol/wire/query/decode.js'
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
}

export interface WhereFlags {
  readonly where?: readonly string[] | undefined
  readonly or?: readonly string[] | undefined
}

export const sortFlag = Flags.string({
  char: 's',
  description: 'field to sort by, with a minus for descending order, for example -createdAt',
  helpValue: 'field',
})

export const populateFlag = Flags.string({
  multiple: true,
  multipleNonGreedy: true,
  delimiter: ',',
  description: 'fields whose linked documents to include, for example author,comments.author',
  helpValue: 'field',
})

/** Combines all `--where` conditions with one clause per `--or` group. */
export function readWhere(all: readonly string[] = [], any: readonly string[] = []): Where {
  const clauses = all.flatMap((condition) => readCondition(splitCondition(condition)))
  const groups = new Map<string, Test[]>()
  for (const condition of any) {
    const [group, rest] = splitGroup(condition)
    groups.set(group, [...(groups.get(group) ?? []), ...readCondition(splitCondition(rest)).flatMap(({ any }) => any)])
  }
  return { all: [...clauses, ...[...groups.values()].map((any) => ({ any }))] }
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
  return test.operator === 'icontains' ? { ...test, operator: 'contains' } : test
}

/** A condition as typed, with the tests it stands for. */
export interface Condition {
  readonly text: string
  readonly tests: readonly Test[]
}

/** Returns the conditions of both flags separately. */
export function listConditions({ where = [], or = [] }: WhereFlags): Condition[] {
  return [...where, ...or.map((one) => splitGroup(one)[1])].map((text) => ({
    text,
    tests: readCondition(splitCondition(text)).flatMap(({ any }) => any),
  }))
}

export function readSort(text: string | undefined): Sort | undefined {
  if (text === undefined) return undefined
  const name = text.replace(/^[-+]/, '')
  if (name === '') throw misuse(`Not a valid order: --sort "${text}".`, 'Use --sort title or --sort -createdAt.')
  return { path: parsePath(name), direction: text.startsWith('-') ? 'desc' : 'asc' }
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
