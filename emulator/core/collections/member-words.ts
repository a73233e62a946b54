/** Validates the permission word `member:<path>` before a collection accepts it. Contract 13.9. */
import { isMemberWord, memberPrefix, parseMemberWord } from '../../../client/protocol/model/access/member-word.js'
import {
  type FieldRule,
  type Permissions,
  permissionKinds,
  type Schema,
  usersWord,
} from '../../../client/protocol/model/collection.js'
import { operatorNames } from '../../../client/protocol/model/document.js'
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { canHold, ownField, ownName } from '../../../client/protocol/model/where.js'

/** Each document of a list is tested for each of them. */
const maxMemberWords = 8

/** @throws {SvcError} `VALIDATION_ERROR` */
export function requireMemberWords(permissions: Permissions, schema: Schema): void {
  const issues = permissionKinds.flatMap((kind) => checkWords(kind, permissions[kind] ?? [], schema))
  const [first] = issues
  if (first) throw new SvcError('VALIDATION_ERROR', `"${first.path.join('.')}" ${first.message}.`, issues)
}

function checkWords(kind: string, words: readonly string[], schema: Schema): Issue[] {
  const places = words.flatMap((word, at) => (isMemberWord(word) ? [{ word, at }] : []))
  return places.flatMap(({ word, at }, count) => {
    const message = count >= maxMemberWords ? tooMany : findFault(word, schema)
    return message === undefined ? [] : [{ path: ['permissions', kind, at], message, type: 'member' }]
  })
}

const tooMany = `can contain at most ${maxMemberWords} words that start with "${memberPrefix}"`
const usage = `Use ${memberPrefix}FIELD, or ${memberPrefix}LINK.FIELD for a field of the linked document`

function findFault(word: string, schema: Schema): string | undefined {
  const membership = parseMemberWord(word)
  if (!membership) return `is not the path of a field. ${usage}`
  const { link, field } = membership
  if ([link, field].some((name) => name !== undefined && !isField(name)))
    return `names no field that can list members. ${usage}`
  return link === undefined ? undefined : findLinkFault(link, schema)
}

function isField(name: string): boolean {
  return canHold(name) && !operatorNames.includes(name) && ownField(ownName([name])) === undefined
}

function findLinkFault(link: string, schema: Schema): string | undefined {
  const rule: FieldRule | undefined = Object.hasOwn(schema, link) ? schema[link] : undefined
  if (rule === undefined) return undefined
  if (rule.type !== 'link' && rule.type !== 'string' && rule.type !== 'any')
    return `needs a link to one document, but "${link}" has the type ${rule.type}`
  if (rule.many) return `needs a link to one document, but "${link}" links to many`
  return rule.to === usersWord ? `needs a link to a document, but "${link}" links to a user` : undefined
}
