/** Builds the events that the core publishes. */
import type { Happened } from './event-log.js'

interface WithId {
  readonly id: string
  readonly email?: string | null | undefined
}

/** @param what the changed fields of a changed user */
export function userEvent(
  projectId: string,
  how: 'created' | 'changed' | 'removed',
  { id, email = null }: WithId,
  what: readonly string[] = [],
): Happened {
  return { kind: `user.${how}`, projectId, user: { id, email, what } }
}

export function loginEvent(
  projectId: string,
  how: 'succeeded' | 'failed' | 'ended',
  { user, email, why }: { user?: string | undefined; email?: string | undefined; why?: string },
): Happened {
  return {
    kind: `login.${how}`,
    projectId,
    login: { user: user ?? null, email: email?.slice(0, 320) || null, why: why ?? null },
  }
}

interface Mail {
  readonly id: string
  readonly mail: { readonly project: string; readonly to: string; readonly subject: string }
}

/** @param refused the reason why it was not sent */
export function mailEvent({ id, mail: { project, to, subject } }: Mail, refused?: string): Happened {
  const kind = refused === undefined ? 'mail.sent' : 'mail.refused'
  return { kind, projectId: project, mail: { id, to, subject, why: refused ?? null } }
}

export function snapshotEvent(
  projectId: string,
  how: 'saved' | 'loaded' | 'removed' | 'undone',
  name: string,
): Happened {
  return { kind: `snapshot.${how}`, projectId, snapshot: { name } }
}

/** @param what the parts that were emptied, seeded or changed */
export function projectEvent(
  { id, name }: { readonly id: string; readonly name: string },
  how: 'created' | 'changed' | 'reset' | 'seeded' | 'removed',
  what: readonly string[] = [],
): Happened {
  return { kind: `project.${how}`, projectId: id, project: { name, what } }
}
