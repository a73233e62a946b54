/** The permission word `member:<path>`, for users whose id is in a field. Contract 13.9. */
import type { Json } from '../json.js'

export const memberPrefix = 'member:'

/** The field that lists the members, in the document itself or in the document that a link field names. */
export interface Membership {
  /** The path as written, for example `board.members`. */
  readonly path: string
  readonly link: string | undefined
  readonly field: string
}

export function isMemberWord(word: string): boolean {
  return word.startsWith(memberPrefix)
}

/** Parses a word such as `member:board.members`. Returns undefined for other words and for invalid paths. */
export function parseMemberWord(word: string): Membership | undefined {
  if (!isMemberWord(word)) return undefined
  const path = word.slice(memberPrefix.length)
  const [first = '', second, ...more] = path.split('.')
  if (first === '' || second === '' || more.length > 0) return undefined
  return second === undefined ? { path, link: undefined, field: first } : { path, link: first, field: second }
}

/** Tells whether a value is the id of the user, or an array with it. */
export function listsUser(value: Json | undefined, user: string): boolean {
  return value === user || (Array.isArray(value) && value.includes(user))
}
