/** What is kept of a document's versions. Contract 9.4 and 11. */
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
  /** The number of the change; null of what is known without it. */
  readonly seq: number | null
  /** `kept`: no change of it is kept, but what came after it says what it was, or it is what there is now. */
  readonly kind: 'created' | 'updated' | 'deleted' | 'kept'
  readonly at: string
  readonly data: JsonText
  /** The fields that are others than before; null where that is unknown. */
  readonly changed: readonly string[] | null
}

export interface DocumentHistory {
  readonly collection: string
  readonly id: string
  readonly isDeleted: boolean
  /** The newest first. */
  readonly versions: readonly DocumentVersion[]
  /** What `before` takes for the ones before these; null where no more are kept. */
  readonly next: number | null
  /** Whether the first of all kept versions is the one it was created as. */
  readonly isWhole: boolean
}

interface Asked {
  readonly project: string
  /** Name or id. */
  readonly collection: string
  readonly document: string
}

/** @throws {SvcError} `NOT_FOUND` where nothing is kept of such a document */
export async function documentHistory(
  backend: Backend,
  asked: Asked,
  { before, most }: { before: number | undefined; most: number },
): Promise<DocumentHistory> {
  const { place, collection, document } = await find(backend, asked)
  const { rows, hasMore } = await selectVersions(backend.db, place, { before, most })
  const present = before === undefined ? document : undefined
  const versions = [
    ...presentVersion(present, rows[0]),
    ...rows.flatMap((row, at) => versionsOf(row, rows[at + 1], hasMore)),
  ]
  if (versions.length === 0 && !document) throw noSuchDocument(asked)
  const [oldest] = rows.slice(-1)
  return {
    ...{ collection, id: asked.document, isDeleted: document === undefined, versions },
    next: hasMore && oldest ? oldest.seq : null,
    isWhole: !hasMore && oldest?.kind === 'created',
  }
}

export interface VersionComparison {
  readonly from: number
  readonly to: number
  readonly differences: readonly Difference[]
}

const mostDifferences = 1_000

/**
 * What is different in a version from an earlier or later one. Left out, `to` is the newest and `from` the one before.
 *
 * @throws {SvcError} `NOT_FOUND` where one of them is not kept
 */
export async function compareVersions(
  backend: Backend,
  asked: Asked,
  given: { from: number | undefined; to: number | undefined },
): Promise<VersionComparison> {
  const { place, document } = await find(backend, asked)
  const to = given.to ?? document?.version ?? (await newestVersion(backend, place))
  if (to === undefined) throw noSuchDocument(asked)
  const from = given.from ?? to - 1
  const rows = await selectVersionsAt(backend.db, place, [from, to])
  const [one, other] = [from, to].map((version) => {
    const data = dataAt(version, rows, document)
    if (!data) throw new SvcError('NOT_FOUND', `Version ${version} of "${asked.document}" is not kept.`)
    return parseFields({ data })
  })
  return { from, to, differences: differencesBetween(one, other, mostDifferences) }
}

async function find(backend: Backend, { project: id, collection: name, document: documentId }: Asked) {
  const { db } = backend
  const project = (await requireProject(backend, id)).id
  const collection = await selectCollection(db, project, name)
  if (!collection) throw new SvcError('NOT_FOUND', `No collection "${name.slice(0, 80)}".`)
  if (!isId(documentId)) throw noSuchDocument({ document: documentId, collection: name })
  const place: VersionTarget = { project, collection: collection.id, document: documentId }
  return { place, collection: collection.name, document: await selectDocument(db, collection, documentId) }
}

/** What is there now, where no change says so: a snapshot that was loaded writes none. */
function presentVersion(document: StoredDocument | undefined, newest: VersionRow | undefined): DocumentVersion[] {
  if (!document || (newest && newest.version >= document.version && newest.kind !== 'deleted')) return []
  const { version, data, updatedAt: at } = document
  return [{ version, seq: null, kind: 'kept', at, data, changed: null }]
}

/** The version that a change made and, where the change before it is not kept, what it was before. */
function versionsOf(row: VersionRow, earlier: VersionRow | undefined, hasMore: boolean): DocumentVersion[] {
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

function noSuchDocument({ document, collection }: Pick<Asked, 'document' | 'collection'>): SvcError {
  const message = `No document "${document.slice(0, 80)}" in "${collection.slice(0, 80)}", and no change of one is kept.`
  return new SvcError('NOT_FOUND', message)
}
