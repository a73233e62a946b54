/** What owners did, kept with what they did: both are committed, or neither. */
import type { AuditActor, AuditedOperation, AuditSubject } from '../../../client/protocol/model/access/audit.js'
import {
  type AuditQuery,
  hasAuditRecords,
  insertAuditRecord,
  type StoredAuditRecord,
  selectAuditRecords,
} from '../../store/audit.js'
import type { Backend, Caller } from '../context.js'
import { requireProject } from '../projects/require-project.js'
import type { UnitOfWork } from '../unit-of-work.js'

/** Where an operation is written: its open transaction, and the request that asked for it. */
type Scope = UnitOfWork & { readonly backend: Pick<Backend, 'clocks'> }

interface Operation {
  readonly project: string
  readonly operation: AuditedOperation
  readonly subject?: AuditSubject
  /** Who asked with a key or as a user; left out, the holder of the control token. */
  readonly caller?: Caller | undefined
}

/** Writes an operation into the audit log, in the transaction that does it. */
export async function audit(unit: Scope, { project, operation, subject = {}, caller }: Operation): Promise<void> {
  if (!unit.pending) throw new Error(`"${operation}" has no transaction that it could be audited in.`)
  const { requestId = null } = unit
  const at = unit.backend.clocks.service.now().toISOString()
  await insertAuditRecord(unit.db, project, {
    ...{ operation, subject, requestId, at },
    by: caller ? (actorOf(caller, project) ?? ownerBy(requestId)) : ownerBy(requestId),
  })
}

/** The operations of a project, the newest first; those of a removed one, too. @throws {SvcError} `NOT_FOUND` */
export async function listAudit(backend: Backend, project: string, query: AuditQuery): Promise<StoredAuditRecord[]> {
  const records = await selectAuditRecords(backend.db, project, query)
  if (records.length === 0 && !(await hasAuditRecords(backend.db, project))) await requireProject(backend, project)
  return records
}

/** Undefined for a caller that stands for the project's owner, whose key goes by the id of the project. */
function actorOf({ key, user }: Caller, project: string): AuditActor | undefined {
  if (user) return { kind: 'user', id: user.id, name: null }
  if (key && key.id !== project) return { kind: 'key', id: key.id, name: key.name }
  return undefined
}

function ownerBy(requestId: string | null): AuditActor {
  return { kind: requestId === null ? 'service' : 'control', id: null, name: null }
}
