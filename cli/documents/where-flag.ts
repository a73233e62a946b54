/** `--where`, `--or` and `--sort`: always in the double-underscore spelling, whatever the service speaks. */
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
    description: 'condition that must hold: status=published, views__gte=100, tags__in=a,b',
    helpValue: 'field=value',
  }),
  or: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    description:
      'one of several conditions of which any is enough; those of a named group are alternatives of their own',
    helpValue: '[group:]field=value',
  }),
}

export interface WhereFlags {
  readonly where?: readonly string[] | undefined
  readonly or?: readonly string[] | undefined
}

export const sortFlag = Flags.string({
  char: 's',
  description: 'field to sort by; a minus in front turns it around: -createdAt',
  helpValue: 'field',
})

export const populateFlag = Flags.string({
  multiple: true,
  multipleNonGreedy: true,
  delimiter: ',',
  description: 'fields whose linked documents to show: author,comments.author',
  helpValue: 'field',
})

/** The conditions of `--where`, all of which must hold, and of each group of `--or`, of which one must. */
export function readWhere(all: readonly string[] = [], any: readonly string[] = []): Where {
  const clauses = all.flatMap((condition) => readCondition(splitCondition(condition)))
  const groups = new Map<string, Test[]>()
  for (const condition of any) {
    const [group, rest] = splitGroup(condition)
    groups.set(group, [...(groups.get(group) ?? []), ...readCondition(splitCondition(rest)).flatMap(({ any }) => any)])
  }
  return { all: [...clauses, ...[...groups.values()].map((any) => ({ any }))] }
}

/** Both words are known, whatever the dialect: `__contains` is the service's own, `__icontains` ignores case. */
function readCondition([name, value]: readonly [string, string]): readonly Clause[] {
  const { all } = readDoubled(name.replace(/__icontains$/, '__contains'), value)
  return name.endsWith('__contains') ? all.map(({ any }) => ({ any: any.map(asContains) })) : all
}

function readDoubled(name: string, value: string): Where {
  try {
    return readConditions(dialects.a, [[name, value]])
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    // The service knows one of the two words only.
    throw new SvcError(error.code, error.message.replace(' __contains,', ' __contains, __icontains,'))
  }
}

function asContains(test: Test): Test {
  return test.operator === 'icontains' ? { ...test, operator: 'contains' } : test
}

/** A condition as it was typed, and the tests that it stands for. */
export interface Condition {
  readonly text: string
  readonly tests: readonly Test[]
}

/** The conditions of both flags, each by itself. */
export function conditionsOf({ where = [], or = [] }: WhereFlags): Condition[] {
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

/** `price:views__gte=1` belongs to the group `price`; a colon in front, `:a:b=1`, says that the rest is a condition. */
function splitGroup(condition: string): readonly [group: string, condition: string] {
  const [, group, rest] = /^([\w-]*):([^=].*)$/s.exec(condition) ?? []
  return group === undefined || rest === undefined ? ['', condition] : [group, rest]
}

/** `views>=100` is what other languages write. */
const suffixOf: { readonly [sign: string]: string } = { '>': 'gte', '<': 'lte', '!': 'ne' }

function splitCondition(condition: string): readonly [string, string] {
  const at = condition.indexOf('=')
  if (at < 1) throw misuse(`Not a valid condition: "${condition}".`, 'Use status=published or views__gte=100.')
  const [field, value] = [condition.slice(0, at), condition.slice(at + 1)]
  const suffix = suffixOf[field.at(-1) ?? '']
  if (suffix) throw misuse(`Not a valid condition: "${condition}".`, `Use ${field.slice(0, -1)}__${suffix}=${value}.`)
  return [field, value]
}
