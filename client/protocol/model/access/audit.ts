/** Operations in the audit log, with their descriptions. */
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

/** Caller: the control token, a key, a user, or the service itself at startup. */
export interface AuditActor {
  readonly kind: 'control' | 'key' | 'user' | 'service'
  /** Id of the key or user. */
  readonly id: string | null
  /** Name of the key. */
  readonly name: string | null
}

/** Subject of an operation. Contains only ids and names, never secrets, tokens or document data. */
export interface AuditSubject {
  readonly collection?: string
  /** New name of the collection. */
  readonly renamedTo?: string
  readonly document?: string
  readonly key?: string
  readonly user?: string
  readonly snapshot?: string
  /** Names of changed or emptied settings, or parts of a user, collection or project. */
  readonly names?: readonly string[]
}

export interface AuditRecord {
  readonly operation: AuditedOperation
  readonly by: AuditActor
  readonly subject: AuditSubject
  /** null if no request caused it. */
  readonly requestId: string | null
  readonly at: string
}
