import type { ParityCase } from '../case.js'
import { accountCases } from './accounts.js'
import { documentCases } from './documents.js'
import { fileCases } from './files.js'
import { filterCases } from './filters.js'
import { limitCases } from './limits.js'
import { listCases } from './lists.js'
import { realtimeCases } from './realtime.js'
import { rightsCases } from './rights.js'

/** All cases that come with the toolkit. */
export const builtIn: readonly ParityCase[] = [
  ...documentCases,
  ...listCases,
  ...filterCases,
  ...accountCases,
  ...rightsCases,
  ...limitCases,
  ...realtimeCases,
  ...fileCases,
]
