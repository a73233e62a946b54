import { isOfDocument } from '../../../client/protocol/model/access/permission-words.js'
import type { PermissionKind } from '../../../client/protocol/model/collection.js'
import { selectAllPermissions } from '../../store/collections.js'
import type { Backend } from '../context.js'
import { callerRoles, type Grant } from './grant.js'
import { listWords, type PermissionUse } from './permission-uses.js'

/** Counts a request that needs a permission. */
export function countPermission({ permissionUses }: Backend, grant: Grant, permission: PermissionKind): void {
  if (!permissionUses.isOn) return
  const words = listWords(grant.collection, [permission])
  const used = words.length > 0 ? usedWords(grant, words) : []
  for (const use of words) permissionUses.add({ ...use, requests: used.includes(use.word) ? 1 : 0 })
}

/** Returns the roles that let the caller in. Without such a role, the words that depend on the document decide. */
function usedWords({ caller }: Grant, uses: readonly { readonly word: string }[]): readonly string[] {
  if (caller.secret || !caller.user) return []
  const roles = callerRoles(caller)
  const words = uses.map(({ word }) => word)
  const held = words.filter((word) => roles.includes(word))
  return held.length > 0 ? held : words.filter(isOfDocument)
}

/** Lists the permissions of all projects, also those that no request has needed. */
export async function listPermissionUses({ db, permissionUses }: Backend): Promise<PermissionUse[]> {
  for (const collection of await selectAllPermissions(db)) {
    for (const use of listWords(collection)) permissionUses.add({ ...use, requests: 0 })
  }
  return permissionUses.list()
}
