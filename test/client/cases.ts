/** All cases of the client, for Node and for a browser. */
import { authCases } from './auth.cases.js'
import { documentCases } from './document.cases.js'
import { fileCases } from './file.cases.js'
import { realtimeCases } from './realtime.cases.js'
import type { Cases } from './world.js'

export { openWorld } from './world.js'

export const allCases: Cases = { ...documentCases, ...fileCases, ...realtimeCases, ...authCases }
