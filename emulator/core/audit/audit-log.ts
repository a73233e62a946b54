/** Records the operations of owners in the same transaction as the operation itself. */
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

/** The open transaction of an operation, and the request that caused it. */
type Scope = UnitOfWork & { readonly backend: Pick<Backend, 'clocks'> }

interface Operation {
  readonly project: string
  readonly operation: AuditedOperation
  readonly subject?: AuditSubject
  /** The key holder or user who did it. Defaults to the holder of the control token. */
  readonly caller?: Caller | undefined
}

/** Writes an operation to the audit log, in the operation's transaction. */
export async function audit(unit: Scope, { project, operation, subject = {}, caller }: Operation): Promise<void> {
  if (!unit.pending) throw new Error(`"${operation}" must run in a transaction to be audited.`)
  const { requestId = null } = unit
  const at = unit.backend.clocks.service.now().toISOString()
  await insertAuditRecord(unit.db, project, {
    ...{ operation, subject, requestId, at },
    by: caller ? (findActor(caller, project) ?? ownerBy(requestId)) : ownerBy(requestId),
  })
}

/** Lists the operations of a project, newest first, also of a removed project. @throws {SvcError} `NOT_FOUND` */
export async function listAudit(backend: Backend, project: string, query: AuditQuery): Promise<StoredAuditRecord[]> {
  const records = await selectAuditRecords(backend.db, project, query)
  if (records.length === 0 && !(await hasAuditRecords(backend.db, project))) await requireProject(backend, project)
  return records
}

/** Returns undefined for a caller that represents the project's owner, whose key is the project's id. */
function findActor({ key, user }: Caller, project: string): AuditActor | undefined {
  if (user) return { kind: 'user', id: user.id, name: null }
  if (key && key.id !== project) return { kind: 'key', id: key.id, name: key.name }
  return undefined
}

function ownerBy(requestId: string | null): AuditActor {
  return { kind: requestId === null ? 'service' : 'control', id: null, name: null }
}
