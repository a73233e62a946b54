import { pageSizes } from '../../model/limits.js'

/** The `paging` axis: the page size when none is asked for, and the most there is. Spec, "Limits". */
export const pagingRules = pageSizes
