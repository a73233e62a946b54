import { SvcError } from '../../model/errors.js'

/** Parameters of a list that are not filters. */
export const listParameters = [
  'populate',
  'select',
  'limit',
  'offset',
  'count',
  'orderBy',
  'sort_by',
  'sort',
  'order',
  'sort_order',
]

/** Joins values with commas. A value that ends in a backslash would escape the comma after it. */
export function joinList(values: readonly string[]): string {
  const swallowing = values.slice(0, -1).find((value) => value.endsWith('\\'))
  if (swallowing) throw new SvcError('INVALID_FILTER', `"${swallowing}" must be last.`)
  return values.map((value) => value.replaceAll(',', '\\,')).join(',')
}
