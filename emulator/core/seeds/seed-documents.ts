import {
  type Fields,
  mergeFields,
  noOperators,
  parseFields,
  requireNoOperator,
  type StoredDocument,
} from '../../../client/protocol/model/document.js'
import { placed, SvcError } from '../../../client/protocol/model/errors.js'
import { equalJson } from '../../../client/protocol/model/json.js'
import type { SeedDocument, SeedDocuments } from '../../../client/protocol/model/seed/steps.js'
import { lockDocuments, updateDocumentData } from '../../store/documents.js'
import { listUniqueRules } from '../../store/unique-rules.js'
import { noSuchCollection } from '../access/missing.js'
import {
  checkAndSerialize,
  collectLinks,
  insertRows,
  type NewLinks,
  place,
  publishRecorded,
} from '../documents/door.js'
import { requireLight } from '../documents/weight.js'
import { orphanForgotten } from '../files/owned-files.js'
import type { Upload } from '../files/uploads.js'
import { changeUniqueValues, planValues, requireCurrentRules, requireDistinct } from '../unique-values.js'
import { atStep } from './at-step.js'
import { adopt, findOwned } from './seed-files.js'
import { findExisting, findTarget, rememberDocument, rememberThere, type Target } from './seed-targets.js'
import { keepPromise, type OpenCollection, resolve, type Seeding } from './seeding.js'

/** A document of a step, and the existing document that it updates, if any. */
interface Placed {
  readonly at: number
  readonly document: SeedDocument
  readonly target: Target
}

/** A document to write. */
interface Draft {
  readonly id: string
  readonly at: number
  readonly fields: Fields
  readonly before: StoredDocument | undefined
  readonly files: readonly Upload[]
}

/** Writes documents of the open collection in batches. */
export async function applyDocuments(seeding: Seeding, number: number, { documents }: SeedDocuments): Promise<void> {
  const open = seeding.collections.at(-1)
  if (!open) throw new SvcError('INVALID_BODY', 'Documents must come after their collection.')
  if (!open.isWritten) return keepDocuments(seeding, open, documents)
  const group: Placed[] = []
  const flush = () => writeDocuments(seeding, open, number, group.splice(0))
  const looks = mayMatchExisting(seeding, open)
  for (const [at, document] of documents.entries()) {
    if (document.isSame) {
      await flush()
      await keepDocuments(seeding, open, [document])
      continue
    }
    if (!looks) {
      group.push({ at, document, target: { key: undefined, id: undefined } })
      continue
    }
    // Writes linked documents in a separate batch, because they need the documents before them.
    const isLinked = document.hasReferences || document.isReferred || document.files !== undefined
    if (isLinked) await flush()
    const target = await atStep(at, () => findTarget(seeding, open, document))
    const isAgain = group.some(({ target: { id, key } }) =>
      target.key === undefined ? id === target.id : key === target.key,
    )
    if (isAgain) await flush()
    group.push({ at, document, target: isAgain ? await findTarget(seeding, open, document) : target })
    if (isLinked) await flush()
  }
  await flush()
}

/** Whether existing documents may match documents of the seed. */
function mayMatchExisting({ mode }: Seeding, { hadDocuments, key }: OpenCollection): boolean {
  return hadDocuments || (mode !== 'fill' && key !== undefined)
}

/** Keeps an existing collection unchanged, and finds only the documents that others refer to. */
async function keepDocuments(
  seeding: Seeding,
  open: OpenCollection,
  documents: readonly SeedDocument[],
): Promise<void> {
  for (const document of documents) {
    open.counts.kept++
    const there = document.isReferred ? await findExisting(seeding, open, document) : undefined
    if (there) rememberThere(seeding, open, document, there)
    const { name = '' } = document
    keepPromise(seeding, { collection: open.collection.name, name, there: there?.id })
  }
}

async function writeDocuments(
  seeding: Seeding,
  open: OpenCollection,
  number: number,
  group: readonly Placed[],
): Promise<void> {
  if (group.length === 0) return
  const { ctx } = seeding
  const { collection } = open
  const targets = group.flatMap(({ target }) => target.id ?? [])
  const there = targets.length === 0 ? new Map() : await lockDocuments(ctx.db, collection, targets)
  const now = ctx.backend.now(ctx.project.id)
  const drafts: Draft[] = []
  for (const one of group) {
    const draft = await atStep(one.at, () => prepareDraft(seeding, open, one, there.get(one.target.id ?? ''), now))
    drafts.push(draft)
    if (one.target.key !== undefined) open.byKey?.set(one.target.key, draft.id)
  }
  const fresh = drafts.filter(({ before }) => before === undefined)
  const changed = drafts.filter(({ before, fields }) => before !== undefined && !equalJson(parseFields(before), fields))
  const here = place(ctx, collection, now)
  const freshRows = await toRows(seeding, open, { number, drafts: fresh })
  const changedRows = await toRows(seeding, open, { number, drafts: changed })
  const documents = changed.flatMap(({ id, before }, at) =>
    before ? [{ id, before, claims: changedRows[at]?.claims ?? [] }] : [],
  )
  await placing(changed, async () =>
    changeUniqueValues(ctx, collection, documents, await planValues(collection, documents)),
  )
  if (freshRows.length > 0) {
    const inserted = await placing(fresh, async () => {
      requireDistinct(collection, freshRows)
      return insertRows(ctx, here, freshRows)
    })
    // The collection was removed since it was looked up, or has other rules.
    if (inserted.length === 0) {
      await requireCurrentRules(ctx, collection)
      throw noSuchCollection(collection.name)
    }
  }
  if (changedRows.length > 0) await publishRecorded(ctx, () => updateDocumentData(ctx.db, here, changedRows))
  open.counts.created += fresh.length
  open.counts.updated += drafts.length - fresh.length
  for (const { id, files } of drafts) await adopt(seeding, files, { document: id, collection: collection.id })
  const after = new Map(changedRows.map(({ id, json }) => [id, json]))
  await orphanForgotten(
    ctx,
    changed.map(({ id, before }) => ({ id, before: before?.data.text ?? '', after: after.get(id) ?? '' })),
  )
}

/** Prepares a document for writing. From then on, others can refer to it. */
async function prepareDraft(
  seeding: Seeding,
  open: OpenCollection,
  { at, document, target }: Placed,
  before: StoredDocument | undefined,
  now: Date,
): Promise<Draft> {
  const { name = String(at), data, hasReferences } = document
  const { referable, fresh } = await findOwned(seeding, document.files, target.id)
  const sent = hasReferences ? resolve(seeding, name, data, referable) : data
  requireNoOperator(sent)
  const fields = before ? mergeFields(parseFields(before), { fields: sent, ...noOperators }) : open.complete(sent)
  requireLight(fields)
  const promised = keepPromise(seeding, { collection: open.collection.name, name, there: before?.id })
  const id = before?.id ?? promised ?? seeding.ctx.backend.newId(now)
  const updatedAt = now.toISOString()
  const createdAt = before?.createdAt ?? updatedAt
  rememberDocument(seeding, open, document, { id, createdAt, updatedAt, fields })
  return { id, at, fields, before, files: fresh }
}

/** Converts drafts to rows. Reports schema errors by the document's position in the step, of that number. */
async function toRows(
  seeding: Seeding,
  { collection }: OpenCollection,
  { number, drafts }: { readonly number: number; readonly drafts: readonly Draft[] },
) {
  const links = collectLinks(collection, drafts.length)
  const note = ({ fields, before }: Draft) => links.note(fields, before && (() => parseFields(before)))
  const rules = listUniqueRules(collection)
  const texts = await placing(drafts, () => checkAndSerialize(collection, drafts, note, rules))
  const places = drafts.map(({ at }) => ({ at }))
  if (links.found > 0) checkLater(seeding, links, number, places)
  return texts.map(({ item, text }) => ({ id: item.id, ...text }))
}

/** A function of its own, which keeps no data of the documents until then: a seed can be larger than the memory. */
function checkLater({ ctx, linkChecks }: Seeding, links: NewLinks, step: number, places: readonly Place[]): void {
  linkChecks.push(() => atStep(step, () => placing(places, () => links.require(ctx))))
}

type Place = Pick<Draft, 'at'>

/** Reports errors of drafts by their positions in the step. */
async function placing<Result>(drafts: readonly Place[], work: () => Promise<Result>): Promise<Result> {
  const [only] = drafts
  return work().catch((error) => {
    throw placed(error, (path) => {
      if (drafts.length === 1 && only) return [only.at, ...path]
      const [index, ...rest] = path
      return [drafts[Number(index)]?.at ?? 0, ...rest]
    })
  })
}
