/** Serializes events once per dialect, however many subscribers there are. */
import type { Collection } from '../../../client/protocol/model/collection.js'
import { writeJson } from '../../../client/protocol/model/json.js'
import { axes, type Dialect } from '../../../client/protocol/wire/axes.js'
import type { RecordedDocumentChange } from '../../core/realtime/subscriptions.js'

/** The same text framed for WebSockets and for server-sent events. */
export interface EventFrame {
  readonly message: Buffer
  readonly sse: Buffer
}

const collectionFrames = new WeakMap<RecordedDocumentChange, Map<string, Buffer>>()

/** @param as the collection as the client named it */
export function encodeCollectionFrame(
  change: RecordedDocumentChange,
  kind: RecordedDocumentChange['kind'],
  { name, as }: { readonly name: string; readonly as: string },
  dialect: Dialect,
): Buffer {
  const frames = collectionFrames.get(change) ?? new Map<string, Buffer>()
  collectionFrames.set(change, frames)
  const form = [kind, dialect.document, name, as].join(' ')
  const known = frames.get(form)
  if (known) return known
  const document = axes.document[dialect.document].encode({ ...change.document, collection: name })
  const event = axes.events.plain.encode(kind)
  // Clients read `data`, and their types say `document`.
  const frame = Buffer.from(writeJson({ event, collection_id: as, seq: change.seq, data: document, document }))
  frames.set(form, frame)
  return frame
}

const written = new WeakMap<RecordedDocumentChange, Map<string, EventFrame>>()

export function encodeFrame(
  change: RecordedDocumentChange,
  kind: RecordedDocumentChange['kind'],
  { name }: Collection,
  dialect: Dialect,
): EventFrame {
  const frames = written.get(change) ?? new Map<string, EventFrame>()
  written.set(change, frames)
  const form = [kind, dialect.events, dialect.frames, dialect.document, name].join(' ')
  const known = frames.get(form)
  if (known) return known
  const document = { ...change.document, collection: name }
  const event = axes.events[dialect.events].encode(kind)
  const shape = axes.document[dialect.document]
  const body = axes.frames[dialect.frames].encode({ event, seq: change.seq, document }, shape)
  const text = writeJson(body)
  const frame = { message: Buffer.from(text), sse: Buffer.from(`id: ${change.seq}\ndata: ${text}\n\n`) }
  frames.set(form, frame)
  return frame
}
