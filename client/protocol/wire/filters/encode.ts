/** Encodes the `filters` axis: parameter names, or undefined if the form has no suffix for the operator. */
import { listParameters } from '../query/names.js'
import { doubled, every, type SuffixOperator, single, singleSuffix } from './suffixes.js'

export const suffixEncoders = {
  double: writeDoubled,
  single: writeSingle,
  both: writeBoth,
  any: writeAny,
} as const satisfies { readonly [form: string]: (field: string, operator: SuffixOperator) => string | undefined }

/** Adds a suffix for equality if the bare name is a parameter or ends like a suffix. */
function writeDoubled(field: string, operator: SuffixOperator): string | undefined {
  const suffix = operator === 'icontains' ? 'contains' : operator
  if (suffix === 'eq' && !listParameters.includes(field) && !endsDoubled(field)) return field
  return doubled.includes(suffix) ? `${field}__${suffix}` : undefined
}

/** Always adds a suffix for equality, because `checked_in` alone would test whether `checked` is in a list. */
function writeSingle(field: string, operator: SuffixOperator): string | undefined {
  return single.includes(operator) && !field.endsWith('_') ? `${field}_${operator}` : undefined
}

/** Uses a doubled suffix, unless only the single family has it, or a bare name ends like a single suffix. */
function writeBoth(field: string, operator: SuffixOperator): string | undefined {
  const name = operator === 'contains' ? undefined : writeDoubled(field, operator)
  if (name && !singleSuffix(name)) return name
  return endsDoubled(field) ? undefined : writeSingle(field, operator)
}

/** Uses a doubled suffix, also for equality if a bare name ends like any suffix. */
function writeAny(field: string, operator: SuffixOperator): string | undefined {
  const name = writeDoubled(field, operator)
  return name === field && singleSuffix(name, every) ? `${field}__eq` : name
}

/** Tells whether the text after the last `__` would be read as a suffix. */
function endsDoubled(name: string): boolean {
  return /__[a-z](?!.*__)/is.test(name)
}
