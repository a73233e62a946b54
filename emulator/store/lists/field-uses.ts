import type { ListQuery } from '../../../client/protocol/model/page.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { canHold, type Operator, ownField } from '../../../client/protocol/model/where.js'
import type { FieldUse } from './indexes.js'

/** Which indexes a list would have use for. Equality needs none: the index over all data serves it. */
export function usesOf({ where, sort, populate }: ListQuery): readonly FieldUse[] {
  const tests = where.all.flatMap(({ any }) => any)
  return [
    ...(sort ? [{ path: sort.path, kind: sort.direction }] : []),
    ...tests.flatMap(({ path, operator }) => {
      const kind = kinds[operator]
      return kind && !isLinked(path, populate) ? [{ path, kind }] : []
    }),
  ].filter(({ path, kind }) => canBeIndexed(path, kind))
}

const kinds: { readonly [Name in Operator]?: FieldUse['kind'] } = {
  gt: 'range',
  gte: 'range',
  lt: 'range',
  lte: 'range',
  contains: 'text',
  icontains: 'text',
  startswith: 'text',
  endswith: 'text',
}

function isLinked(path: Path, populate: readonly Path[]): boolean {
  return path.length > 1 && populate.some(([first]) => first === path[0])
}

function canBeIndexed(path: Path, kind: FieldUse['kind']): boolean {
  const own = ownField(path)
  return own ? own !== 'id' && kind !== 'text' : path.every(canHold)
}
