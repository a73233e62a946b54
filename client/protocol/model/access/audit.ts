/** Operations that the audit log has, with the words for people. */
export const auditedOperations = {
  'project.created': 'created the project',
  'project.reset': 'reset the project',
  'project.removed': 'removed the project',
  'settings.changed': 'changed settings',
  'key.created': 'created a key',
  'key.revoked': 'revoked a key',
  'collection.created': 'created a collection',
  'collection.changed': 'changed a collection',
  'collection.removed': 'removed a collection',
  'document.transferred': 'transferred a document',
  'user.created': 'created a user',
  'user.changed': 'changed a user',
  'user.removed': 'removed a user',
  'user.token.created': 'created a token of a user',
  'user.session.ended': 'ended a session of a user',
  'user.sessions.ended': 'ended the sessions of a user',
  'snapshot.loaded': 'loaded a snapshot',
  'snapshot.undone': 'undid a command',
} as const

export type AuditedOperation = keyof typeof auditedOperations

/** Who did it: by the control token, with a key, as a user, or the service by itself, as it started. */
export interface AuditActor {
  readonly kind: 'control' | 'key' | 'user' | 'service'
  /** Of the key or user. */
  readonly id: string | null
  /** Of the key. */
  readonly name: string | null
}

/** What an operation concerns, by ids and names alone: no secret, no token and nothing of a document. */
export interface AuditSubject {
  readonly collection?: string
  /** What the collection is called since. */
  readonly renamedTo?: string
  readonly document?: string
  readonly key?: string
  readonly user?: string
  readonly snapshot?: string
  /** Names of what was changed or emptied: settings, parts of a user, of a collection or of the project. */
  readonly names?: readonly string[]
}

export interface AuditRecord {
  readonly operation: AuditedOperation
  readonly by: AuditActor
  readonly subject: AuditSubject
  /** null for what no request asked for. */
  readonly requestId: string | null
  readonly at: string
}
