/** Sorts the words of a permission by who they stand for. Contract 5.3 and 13.9. */
import { ownerWord } from '../collection.js'
import { isMemberWord } from './member-word.js'

/** The role that every signed-in user has. */
export const authenticatedWord = 'authenticated'

interface Kind {
  readonly is: (word: string) => boolean
  /** Whether the word depends on the document, or on the caller alone. */
  readonly isOfDocument: boolean
}

const kinds = {
  authenticated: { is: (word) => word === authenticatedWord, isOfDocument: false },
  owner: { is: (word) => word === ownerWord, isOfDocument: true },
  member: { is: isMemberWord, isOfDocument: true },
  /** Any other word. */
  role: { is: () => true, isOfDocument: false },
} as const satisfies { readonly [kind: string]: Kind }

export type WordKind = keyof typeof kinds
export const wordKinds = Object.keys(kinds) as readonly WordKind[]

/** The kinds of words that cover a part of a collection. */
export type PartWordKind = {
  [Kind in WordKind]: (typeof kinds)[Kind]['isOfDocument'] extends true ? Kind : never
}[WordKind]

/** The kinds of words that cover a whole collection for some callers. */
export type CallerWordKind = Exclude<WordKind, PartWordKind>

export function classifyWord(word: string): WordKind {
  return wordKinds.find((kind) => kinds[kind].is(word)) ?? 'role'
}

/** Tells whether the word stands for other users in each document. */
export function isOfDocument(word: string): boolean {
  return kinds[classifyWord(word)].isOfDocument
}
