/** The `filters` axis, as clients encode it: the name of a parameter; nothing if the form has no suffix for the test. */
import type { Operator } from '../../model/where.js'
import { listParameters } from '../query/names.js'
import { doubled, single, singleSuffix } from './suffixes.js'

export const suffixEncoders = {
  double: writeDoubled,
  single: writeSingle,
  both: writeBoth,
} as const satisfies { readonly [form: string]: (field: string, operator: Operator) => string | undefined }

/** Equality is written out where the bare name is a parameter's or ends like a suffix. */
function writeDoubled(field: string, operator: Operator): string | undefined {
  const suffix = operator === 'icontains' ? 'contains' : operator
  if (suffix === 'eq' && !listParameters.includes(field) && !endsDoubled(field)) return field
  return doubled.includes(suffix) ? `${field}__${suffix}` : undefined
}

/** Equality is always written out, since `checked_in` alone would ask whether `checked` is in a list. */
function writeSingle(field: string, operator: Operator): string | undefined {
  return single.includes(operator) && !field.endsWith('_') ? `${field}_${operator}` : undefined
}

/** Doubled, unless only the other family says it, or it is a bare name that ends as a single suffix does. */
function writeBoth(field: string, operator: Operator): string | undefined {
  const name = operator === 'contains' ? undefined : writeDoubled(field, operator)
  if (name && !singleSuffix(name)) return name
  return endsDoubled(field) ? undefined : writeSingle(field, operator)
}

/** Whether what follows the last `__` would be read as a suffix. */
function endsDoubled(name: string): boolean {
  return /__[a-z](?!.*__)/is.test(name)
}
