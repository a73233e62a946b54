/** Decodes requests to count, aggregate and group documents. Contract 13.7. */
import {
  type AggregateOperation,
  type AggregateQuery,
  aggregateOperations,
  type GroupQuery,
  type MatchQuery,
} from '../../model/aggregate.js'
import type { Dialect } from '../axes.js'
import { badParameter, decodeListQuery, type Parameter } from './decode.js'
import { listParameters } from './names.js'

/** Decodes the filters of a list. Ignores its order and page. */
export function decodeMatchQuery(dialect: Dialect, parameters: readonly Parameter[]): MatchQuery {
  const asked = parameters.filter(([name]) => name === 'populate' || !listParameters.includes(name))
  const { where, populate, links } = decodeListQuery(dialect, asked)
  return { where, populate, links }
}

export function decodeGroupQuery(dialect: Dialect, parameters: readonly Parameter[]): GroupQuery {
  const { taken: field, others } = take('field', parameters)
  if (!field) throw badParameter('field', 'Name a field with "field".')
  return { ...decodeMatchQuery(dialect, others), field }
}

export function decodeAggregateQuery(dialect: Dialect, parameters: readonly Parameter[]): AggregateQuery {
  const { taken: operation = 'count', others } = take('operation', parameters)
  if (isOperation(operation)) return { ...decodeGroupQuery(dialect, others), operation }
  throw badParameter('operation', `"operation" is ${aggregateOperations.join(', ')}, not "${operation.slice(0, 80)}".`)
}

function isOperation(text: string): text is AggregateOperation {
  return aggregateOperations.some((operation) => operation === text)
}

/** Takes a parameter from the others, which are filters. Its name is reserved: filter such a field with a suffix. */
function take(name: string, parameters: readonly Parameter[]) {
  const [first, another] = parameters.filter(([other]) => other === name)
  if (another) throw badParameter(name, `"${name}" is given twice.`)
  return { taken: first?.[1], others: parameters.filter(([other]) => other !== name) }
}
