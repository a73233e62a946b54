/** Every case that the client is put through, in Node as in a browser. */
import { authCases } from './auth.cases.js'
import { type Cases, liveCases } from './live.cases.js'

export { openWorld } from './live.cases.js'

export const allCases: Cases = { ...liveCases, ...authCases }
