/** Sorts the words of a permission by who they stand for. Contract 5.3 and 13.9. */
import { ownerWord } from '../collection.js'
import { isMemberWord } from './member-word.js'

/** The role that every signed-in user has. */
export const authenticatedWord = 'authenticated'

/** Whether each kind of word depends on the document, or on the caller alone. */
const kinds = {
  authenticated: { isOfDocument: false },
  owner: { isOfDocument: true },
  member: { isOfDocument: true },
  role: { isOfDocument: false },
} as const satisfies { readonly [kind: string]: { readonly isOfDocument: boolean } }

export type WordKind = keyof typeof kinds
export const wordKinds = Object.keys(kinds) as readonly WordKind[]

/** The kinds of words that cover a part of a collection. */
export type PartWordKind = {
  [Kind in WordKind]: (typeof kinds)[Kind]['isOfDocument'] extends true ? Kind : never
}[WordKind]

export function classifyWord(word: string): WordKind {
  if (word === authenticatedWord || word === ownerWord) return word
  return isMemberWord(word) ? 'member' : 'role'
}

/** Tells whether the word stands for other users in each document. A role with such a name has no effect. */
export function isOfDocument(word: string): boolean {
  return kinds[classifyWord(word)].isOfDocument
}
