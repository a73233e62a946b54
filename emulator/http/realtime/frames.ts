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

type Kind = RecordedDocumentChange['kind']

/** Keeps the frames of a change by their form, for as long as the change is in memory. Each delivery looks for one. */
function openFrames<Frame>() {
  const frames = new WeakMap<RecordedDocumentChange, Map<string, Frame>>()
  return (change: RecordedDocumentChange, form: string, encode: () => Frame): Frame => {
    const known = frames.get(change)
    const kept = known?.get(form)
    if (kept !== undefined) return kept
    const frame = encode()
    frames.set(change, (known ?? new Map<string, Frame>()).set(form, frame))
    return frame
  }
}

const eventFrames = openFrames<EventFrame>()
const collectionFrames = openFrames<Buffer>()

export function encodeFrame(
  change: RecordedDocumentChange,
  kind: Kind,
  { name }: Collection,
  dialect: Dialect,
): EventFrame {
  const form = `${kind} ${dialect.events} ${dialect.frames} ${dialect.document} ${name}`
  return eventFrames(change, form, () => {
    const document = { ...change.document, collection: name }
    const event = axes.events[dialect.events].encode(kind)
    const shape = axes.document[dialect.document]
    const text = writeJson(axes.frames[dialect.frames].encode({ event, seq: change.seq, document }, shape))
    return { message: Buffer.from(text), sse: Buffer.from(`id: ${change.seq}\ndata: ${text}\n\n`) }
  })
}

/** @param as the collection as the client named it */
export function encodeCollectionFrame(
  change: RecordedDocumentChange,
  kind: Kind,
  { name, as }: { readonly name: string; readonly as: string },
  dialect: Dialect,
): Buffer {
  return collectionFrames(change, `${kind} ${dialect.document} ${name} ${as}`, () => {
    const document = axes.document[dialect.document].encode({ ...change.document, collection: name })
    const event = axes.events.plain.encode(kind)
    // Clients read `data`, and their types say `document`.
    return Buffer.from(writeJson({ event, collection_id: as, seq: change.seq, data: document, document }))
  })
}
