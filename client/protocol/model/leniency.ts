/** Rules that the deployed service does not have. Each is lifted on its own, by the `refusals` axis. */
import type { CreateOnWrite } from './create-on-write.js'

export interface Leniency {
  /** Whether any text is a valid password. */
  readonly takesWeakPasswords: boolean
  /** Whether a batch leaves out ids that no document has. Otherwise it fails. */
  readonly skipsMissing: boolean
  /** Whether `ne` and `notin` match documents without the field. */
  readonly matchesMissing: boolean
  /** Whether fields sort as text, so that 9 comes after 41. */
  readonly sortsAsText: boolean
  /** Whether a filter on a field of a link is ignored if no collection has the name of the link. */
  readonly dropsLostLinks: boolean
  /** Whether a file stays when its document is deleted, or no longer mentions it. */
  readonly keepsFiles: boolean
  /** Used if the project does not say which requests make a missing collection. */
  readonly createOnWrite: CreateOnWrite | null
}

export const strict: Leniency = {
  takesWeakPasswords: false,
  skipsMissing: false,
  matchesMissing: true,
  sortsAsText: false,
  dropsLostLinks: false,
  keepsFiles: false,
  createOnWrite: null,
}
