/** Keeps unsaved document text across page changes, emulator restarts and reloads. */
import type { AppUser, Fields } from '../../client/index.js'
import type { Session } from './session.js'

export interface Draft {
  readonly text: string
  /** The version that the draft is based on. Undefined for a new document. */
  readonly version: number | undefined
  readonly base: Fields
  /** The user that the page acted as when the draft began. Undefined for the owner. */
  readonly by?: Pick<AppUser, 'id' | 'email'> | undefined
}

const drafts = new Map<string, Draft>()
const storageKey = 'svc:drafts'

try {
  for (const [key, draft] of JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')) drafts.set(key, draft)
} catch {
  // Ignore text that this page did not write.
}

addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([...drafts]))
  } catch {
    // The drafts exceed the quota of sessionStorage.
  }
})

/** Makes the browser ask before closing the tab discards drafts. */
addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault()
})

/** Uses the document id alone, which stays the same when the collection is renamed. */
export function draftKey({ folder, project }: Pick<Session, 'folder' | 'project'>, collection: string, id?: string) {
  return [folder, project.id, ...(id === undefined ? [collection, 'new'] : [id])].join('/')
}

export function readDraft(key: string): Draft | undefined {
  return drafts.get(key)
}

export function keepDraft(key: string, draft: Draft): void {
  drafts.set(key, draft)
}

export function moveDraft(from: string, to: string): void {
  const draft = drafts.get(from)
  if (!draft || from === to) return
  drafts.set(to, draft)
  drafts.delete(from)
}

export function hasDrafts(): boolean {
  return drafts.size > 0
}

export function dropDraft(key: string): void {
  drafts.delete(key)
}
