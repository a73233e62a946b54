/** Reads the recorded versions of a document. Contract 9.4 and 11. */
import type { Change } from '../../../client/protocol/model/change.js'
import { isId, parseFields, type StoredDocument } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { equalJson, type JsonObject, type JsonText } from '../../../client/protocol/model/json.js'
import { selectCollection } from '../../store/collections.js'
import { selectDocument } from '../../store/documents.js'
import { selectVersions, selectVersionsAt, type VersionRow, type VersionTarget } from '../../store/realtime/versions.js'
import type { Backend } from '../context.js'
import { type Difference, differencesBetween } from '../differences.js'
import { requireProject } from '../projects/require-project.js'

export interface DocumentVersion {
  readonly version: number
  /** The number of the change; null if the version is known without one. */
  readonly seq: number | null
  /** `kept`: no change recorded this version. It was found from the change after it, or it is the present one. */
  readonly kind: Change['kind'] | 'kept'
  readonly at: string
  readonly data: JsonText
  /** The fields that differ from the version before; null if that is unknown. */
  readonly changed: readonly string[] | null
}

export interface DocumentHistory {
  readonly collection: string
  readonly id: string
  readonly isDeleted: boolean
  /** Newest first. */
  readonly versions: readonly DocumentVersion[]
  /** The value for `before` that gets the next older versions; null if there are none. */
  readonly next: number | null
  /** Whether the history goes back to the creation of the document. */
  readonly isWhole: boolean
}

interface DocumentName {
  readonly project: string
  /** Name or id. */
  readonly collection: string
  readonly document: string
}

/** @throws {SvcError} `NOT_FOUND` if there is neither the document nor a recorded change of it */
export async function documentHistory(
  backend: Backend,
  named: DocumentName,
  { before, most }: { before: number | undefined; most: number },
): Promise<DocumentHistory> {
  const { place, collection, document } = await find(backend, named)
  const { rows, hasMore } = await selectVersions(backend.db, place, { before, most })
  const present = before === undefined ? document : undefined
  const versions = [
    ...presentVersion(present, rows[0]),
    ...rows.flatMap((row, at) => toVersions(row, rows[at + 1], hasMore)),
  ]
  if (versions.length === 0 && !document) throw noSuchDocument(named)
  const [oldest] = rows.slice(-1)
  return {
    ...{ collection, id: named.document, isDeleted: document === undefined, versions },
    next: hasMore && oldest ? oldest.seq : null,
    isWhole: !hasMore && oldest?.kind === 'created',
  }
}

export interface VersionComparison {
  readonly from: number
  readonly to: number
  readonly differences: readonly Difference[]
}

const maxDifferences = 1_000

/**
 * Compares two versions. `to` defaults to the newest, and `from` to the one before it.
 *
 * @throws {SvcError} `NOT_FOUND` if one of them is not recorded
 */
export async function compareVersions(
  backend: Backend,
  named: DocumentName,
  given: { from: number | undefined; to: number | undefined },
): Promise<VersionComparison> {
  const { place, document } = await find(backend, named)
  const to = given.to ?? document?.version ?? (await newestVersion(backend, place))
  if (to === undefined) throw noSuchDocument(named)
  const from = given.from ?? to - 1
  const rows = await selectVersionsAt(backend.db, place, [from, to])
  const [one, other] = [from, to].map((version) => {
    const data = dataAt(version, rows, document)
    if (!data) throw new SvcError('NOT_FOUND', `Version ${version} of "${named.document}" is not recorded.`)
    return parseFields({ data })
  })
  return { from, to, differences: differencesBetween(one, other, maxDifferences) }
}

async function find(backend: Backend, { project: id, collection: name, document: documentId }: DocumentName) {
  const { db } = backend
  const project = (await requireProject(backend, id)).id
  const collection = await selectCollection(db, project, name)
  if (!collection) throw new SvcError('NOT_FOUND', `No collection "${name.slice(0, 80)}".`)
  if (!isId(documentId)) throw noSuchDocument({ document: documentId, collection: name })
  const place: VersionTarget = { project, collection: collection.id, document: documentId }
  return { place, collection: collection.name, document: await selectDocument(db, collection, documentId) }
}

/** Returns the present version if no change records it, because loading a snapshot records no changes. */
function presentVersion(document: StoredDocument | undefined, newest: VersionRow | undefined): DocumentVersion[] {
  if (!document || (newest && newest.version >= document.version && newest.kind !== 'deleted')) return []
  const { version, data, updatedAt: at } = document
  return [{ version, seq: null, kind: 'kept', at, data, changed: null }]
}

/** Returns the version that a change made and, if the change before it was trimmed, the version before it. */
function toVersions(row: VersionRow, earlier: VersionRow | undefined, hasMore: boolean): DocumentVersion[] {
  const { seq, kind, version, at, data, before } = row
  const changed = before ? changedFields(parseFields(before), parseFields({ data })) : []
  const own: DocumentVersion = { seq, kind, version, at, data, changed }
  const isGap = before !== null && (earlier ? earlier.version < version - 1 : !hasMore)
  if (!isGap) return [own]
  return [own, { seq: null, kind: 'kept', version: version - 1, at: before.at, data: before.data, changed: null }]
}

function changedFields(before: JsonObject, after: JsonObject): string[] {
  const own = (fields: JsonObject, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.filter((name) => !equalJson(own(before, name), own(after, name)))
}

function dataAt(version: number, rows: readonly VersionRow[], document: StoredDocument | undefined) {
  const made = rows.find((row) => row.version === version)
  const followed = rows.find((row) => row.version === version + 1 && row.before)
  return made?.data ?? followed?.before?.data ?? (document?.version === version ? document.data : undefined)
}

async function newestVersion({ db }: Backend, place: VersionTarget): Promise<number | undefined> {
  const { rows } = await selectVersions(db, place, { before: undefined, most: 1 })
  return rows[0]?.version
}

function noSuchDocument({ document, collection }: Pick<DocumentName, 'document' | 'collection'>): SvcError {
  const message = `No document "${document.slice(0, 80)}" in "${collection.slice(0, 80)}", and no recorded changes of it.`
  return new SvcError('NOT_FOUND', message)
}
