/** Counts which permission words requests have needed, for the tests of an app. */
import { type PermissionKind, type Permissions, permissionKinds } from '../../../client/protocol/model/collection.js'

/** A word in a permission of the collections with a name, in whatever project. */
export interface PermissionUse {
  readonly collection: string
  readonly permission: PermissionKind
  readonly word: string
  /** Requests of callers to whom the word applies. */
  readonly requests: number
}

export interface PermissionUses {
  /** False on a server, which counts nothing. */
  readonly isOn: boolean
  /** Counts a request for each of the words. Zero requests only make the word known. */
  add(use: PermissionUse): void
  list(): PermissionUse[]
}

/** Keeps the memory of an emulator that runs for months bounded. */
const maxWords = 10_000

export function openPermissionUses({ isOn }: { readonly isOn: boolean }): PermissionUses {
  const counts = new Map<string, PermissionUse>()
  return {
    isOn,
    add({ requests, ...use }) {
      const key = JSON.stringify([use.collection, use.permission, use.word])
      const before = counts.get(key)
      if (before || counts.size < maxWords) counts.set(key, { ...use, requests: (before?.requests ?? 0) + requests })
    },
    list: () => [...counts.values()],
  }
}

interface Ruled {
  readonly name: string
  readonly permissions: Permissions
}

/** Lists the words of a permission, or of all. */
export function listWords(
  { name: collection, permissions }: Ruled,
  kinds: readonly PermissionKind[] = permissionKinds,
) {
  return kinds.flatMap((permission) =>
    (permissions[permission] ?? []).map((word) => ({ collection, permission, word })),
  )
}
