import type { Collection } from '../../../client/protocol/model/collection.js'
import { isId, type StoredDocument } from '../../../client/protocol/model/document.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { selectDocument, selectSmallDocument } from '../../store/documents.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Context } from '../context.js'

/**
 * Works with a document at its current version. A large document first waits for memory and a slot for long reads.
 *
 * @param maxBytes the size of the answer. Defaults to that of the document
 */
export async function withDocument<Result>(
  ctx: Context,
  collection: Pick<Collection, 'id' | 'name'>,
  id: string,
  work: (document: StoredDocument | undefined, ctx: Context) => Promise<Result>,
  maxBytes: number = sizes.maxDocumentBytes,
): Promise<Result> {
  const document = isId(id) ? await selectSmallDocument(ctx.db, collection, id) : undefined
  if (document !== 'large') return work(document, ctx)
  return workLong(ctx, async (ctx) => work(await selectDocument(ctx.db, collection, id), ctx), maxBytes)
}
