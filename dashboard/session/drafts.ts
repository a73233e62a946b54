/** What was typed into documents and not saved yet: it outlives another page, a restart of the emulator, and a reload. */
import type { AppUser, Fields } from '../../client/index.js'
import type { Session } from './session.js'

export interface Draft {
  readonly text: string
  /** What it began from; nothing for a new document. */
  readonly version: number | undefined
  readonly base: Fields
  /** Who was acted as when it was begun; nobody for the owner. */
  readonly by?: Pick<AppUser, 'id' | 'email'> | undefined
}

const drafts = new Map<string, Draft>()
const place = 'svc:drafts'

try {
  for (const [key, draft] of JSON.parse(sessionStorage.getItem(place) ?? '[]')) drafts.set(key, draft)
} catch {
  // What cannot be read was not written here.
}

addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(place, JSON.stringify([...drafts]))
  } catch {
    // A browser keeps a few megabytes, and says no to more.
  }
})

/** A closed tab takes its drafts along; the browser asks first. */
addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault()
})

/** A document has its id still when its collection is renamed. */
export function draftKey({ folder, project }: Pick<Session, 'folder' | 'project'>, collection: string, id?: string) {
  return [folder, project.id, ...(id === undefined ? [collection, 'new'] : [id])].join('/')
}

export function draftOf(key: string): Draft | undefined {
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
