/** Decides which requests make a missing collection. */
import { type PermissionKind, permissionKinds } from './collection.js'
import { readDialectName } from './dialect-name.js'

export const createOnWriteChoices = ['off', 'create', 'touch'] as const
export type CreateOnWrite = (typeof createOnWriteChoices)[number]

const makingKinds: { readonly [Choice in CreateOnWrite]: readonly PermissionKind[] } = {
  off: [],
  create: ['create'],
  touch: permissionKinds,
}

/** The choice of a dialect, by its name. All others make nothing. */
const choices: { readonly [dialect: string]: CreateOnWrite } = { d: 'create' }

/** Tells whether a request for documents makes a missing collection. */
export function makesCollection(
  { createOnWrite, dialect }: { readonly createOnWrite: CreateOnWrite | null; readonly dialect: string },
  kind: PermissionKind,
  /** The choice of the request's dialect, which counts before that of the project's. */
  unsaid: CreateOnWrite | null = null,
): boolean {
  return makingKinds[createOnWrite ?? unsaid ?? choices[readDialectName(dialect)] ?? 'off'].includes(kind)
}
