/** Permissions as toggles: who is named for each action, and what a switch writes. Contract 5.3. */
import { memberPrefix } from '../../../../client/protocol/model/access/member-word.js'
import {
  authenticatedWord,
  classifyWord,
  type WordKind,
} from '../../../../client/protocol/model/access/permission-words.js'
import {
  ownerWord,
  type PermissionKind,
  type Permissions,
  permissionKinds,
  type Schema,
  usersWord,
} from '../../../../client/protocol/model/collection.js'

/** Closes an action to all but the secret key. Stands alone. */
const noneWord = 'none'

/** The row of everyone, which has no word: an action without words is open. */
export const anyone = Symbol('anyone')
export type Who = string | typeof anyone

/** `included` is on because of a wider row, and `never` cannot exist. */
export type Switch = 'on' | 'off' | 'included' | 'never'

function isOpen(permissions: Permissions, kind: PermissionKind): boolean {
  return (permissions[kind] ?? []).length === 0
}

export function readSwitch(permissions: Permissions, who: Who, kind: PermissionKind): Switch {
  const words = permissions[kind] ?? []
  if (who === anyone) return words.length === 0 ? 'on' : 'off'
  if (who === ownerWord && kind === 'create') return 'never'
  if (words.includes(who)) return 'on'
  const isWider = words.length === 0 || (who !== authenticatedWord && words.includes(authenticatedWord))
  return isWider ? 'included' : 'off'
}

/** Switches one toggle. If none is left on, the action is for the secret key alone, and never open to everyone. */
export function withSwitch(permissions: Permissions, who: Who, kind: PermissionKind, isOn: boolean): Permissions {
  if (who === anyone) return { ...permissions, [kind]: isOn ? [] : [noneWord] }
  const others = (permissions[kind] ?? []).filter((word) => word !== who && word !== noneWord)
  const words = isOn ? [...others, who] : others
  return { ...permissions, [kind]: words.length === 0 ? [noneWord] : words }
}

/** Lists the words of the members that the links of a schema lead to, one link deep. */
export function findMemberWords(schema: Schema, readSchema: (collection: string) => Schema | undefined): string[] {
  return Object.entries(schema).flatMap(([field, { type, to }]) => {
    if (type !== 'link' || to === undefined) return []
    if (to === usersWord) return [`${memberPrefix}${field}`]
    const linked = Object.entries(readSchema(to) ?? {})
    return linked.flatMap(([name, rule]) =>
      rule.type === 'link' && rule.to === usersWord ? [`${memberPrefix}${field}.${name}`] : [],
    )
  })
}

/** Lists the words that a collection uses, besides those that every collection has. */
export function findUsedWords(permissions: Permissions): string[] {
  const fixed: readonly string[] = [noneWord, authenticatedWord, ownerWord]
  const words = permissionKinds.flatMap((kind) => permissions[kind] ?? [])
  return [...new Set(words)].filter((word) => !fixed.includes(word))
}

/** Says who a word stands for. */
export function describeWord(word: string): string {
  return descriptions[classifyWord(word)](word)
}

const descriptions: { readonly [Kind in WordKind]: (word: string) => string } = {
  authenticated: () => 'every signed-in user',
  owner: () => 'the user who created the document',
  member(word) {
    const [link = '', field] = word.slice(memberPrefix.length).split('.')
    return field === undefined ? `users in its field ${link}` : `users in ${field} of its ${link}`
  },
  role: () => 'a role',
}

/** Says what is public. Empty if nothing is. */
export function describeOpen(permissions: Permissions): string {
  const open = permissionKinds.filter((kind) => isOpen(permissions, kind))
  if (open.length === 0) return ''
  const actions = open.length > 1 ? `${open.slice(0, -1).join(', ')} and ${open.at(-1)}` : open[0]
  return `Anyone with a key can ${actions} documents. Every copy of an app holds a key.`
}
