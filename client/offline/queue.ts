/**
 * The outbox of one user: all tabs add writes and show them, one tab sends them in order. The database has the only complete
 * state; the sending tab keeps a copy and is the only one that changes or removes writes.
 */

import { internals } from '../collections/internals.js'
import { type Client, type Document, SvcError } from '../index.js'
import type { Fields } from '../protocol/model/document.js'
import type { Mutation, Write } from '../store/mutation.js'
import type { Decision, QueuedWrite } from '../store/persistence.js'
import type { Database, Entry, PlainError } from './database.js'
import { Refusal, sendEntry } from './sending.js'

/** Both versions of a document in a conflict. */
export interface Versions {
  /** All fields as the write would leave them. Undefined if it removes the document. Without the effect of operators. */
  readonly mine: Fields | undefined
  /** The document as the service has it. Undefined if it does not exist. */
  readonly theirs: Document | undefined
}

/** Returns nothing to leave the write in the outbox. */
export type OnConflict = (mutation: QueuedWrite, versions: Versions) => Decision | undefined | Promise<unknown>

export interface Tabs {
  readonly locks: Pick<LockManager, 'request'>
  readonly channel: Pick<BroadcastChannel, 'postMessage' | 'close' | 'onmessage'>
}

export interface QueueOptions extends Tabs {
  readonly client: Client
  /** Id of the user who makes the writes; empty if nobody is signed in. */
  readonly user: string
  /** Name of the lock, which one tab of the user holds. */
  readonly name: string
  readonly database: Database
  /** Resolves once the service is known to obey idempotency keys. @throws {SvcError} if it does not */
  readonly requireKeys: () => Promise<void>
  readonly onConflict: OnConflict | undefined
  /** Called after each change of the writes or of what they wait for. */
  readonly onChange: () => void
  /** Called for each saved or dropped write of any tab. */
  readonly onSettled: (settled: Settled) => void
  /** Called if the database fails, so that nothing can be sent. */
  readonly onBroken: () => void
}

/** The end of a write. */
export interface Settled {
  readonly key: string
  readonly document?: Document | undefined
  /** The turn under which the database keeps it, if it was saved. */
  readonly turn?: number | undefined
  /** Set if it was discarded. */
  readonly error?: PlainError | undefined
}

export interface Queue {
  writes(): readonly QueuedWrite[]
  /** Why the first write waits, if the service is unreachable or busy, or the session has ended. */
  waiting(): SvcError | undefined
  add(write: Write, base: Document | undefined): Promise<void>
  decide(key: string, decision: Decision): void
  /** Tries again at once, for example after a login. */
  wake(): void
  /** Stops sending. Returns the writes that have not been sent, which stay in the database. */
  close(): Promise<readonly QueuedWrite[]>
}

type Message = { readonly settled?: Settled; readonly decide?: readonly [key: string, decision: Decision] }

/** Limits the backoff, so that writes resume soon after the service is back. */
const maxDoublings = 4

export function openQueue(options: QueueOptions): Queue {
  const { client, user, name, database, locks, channel, onChange, onSettled, onBroken } = options
  const tools = client.collection('')[internals]
  const over = new AbortController()
  const { signal } = over
  let entries: readonly Entry[] = []
  let sending: string | undefined
  let waiting: SvcError | undefined
  let failures = 0
  let isLeader = false
  /** Whether the database has writes that this tab has not read. */
  let isStale = true
  let isReading = false
  /** Position of the last write that the sending tab has read. */
  let lastOrder = 0
  let wake = () => {}
  /** Ids of documents before and after they were saved. */
  let savedIds = new Map<string, string>()
  /** Documents after writes of this tab, by id. */
  const saved = new Map<string, Document>()
  /** Codes of the refusals that the app was last asked about, by the keys of the writes. */
  const asked = new Map<string, string | undefined>()

  function show() {
    if (!signal.aborted) onChange()
  }

  function tell(message: Message) {
    if (!signal.aborted) channel.postMessage(message)
  }

  channel.onmessage = ({ data }: { data: Message }) => {
    if (data.settled) onSettled(data.settled)
    if (data.decide && isLeader) void decide(...data.decide)
    refresh()
  }

  /** Reads the writes of other tabs. The sending tab reads only what was added, between two writes. */
  async function refresh() {
    isStale = true
    wake()
    if (isLeader || isReading) return
    isReading = true
    while (isStale && !isLeader && !signal.aborted) {
      isStale = false
      // Fails if the database was closed in between.
      const read = await database.entries(0).catch(() => undefined)
      if (isLeader || !read) break
      entries = read
      show()
    }
    isReading = false
  }

  /** Reads the writes that were added. Begins again if more were added during the read, so that none is missed. */
  async function readAdded() {
    while (isStale) {
      isStale = false
      const added = (await database.entries(lastOrder)).map(renamed)
      entries = lastOrder ? [...entries, ...added] : added
      lastOrder = added[added.length - 1]?.order ?? lastOrder
      if (added[0]) show()
    }
  }

  /** Replaces ids of documents that have been saved since, in the id and in links. */
  function renamed(entry: Entry): Entry {
    const known = newIdsIn(entry).filter((id) => savedIds.has(id))
    if (!known[0]) return entry
    let text = JSON.stringify(entry.body)
    for (const id of known) text = text.replaceAll(`"${id}"`, `"${savedIds.get(id)}"`)
    return { ...entry, id: savedIds.get(entry.id) ?? entry.id, body: JSON.parse(text) }
  }

  /** Returns the first write that no refused one holds up: of the same document, or of one that it links to. */
  function firstSendable(): Entry | undefined {
    const held = new Set<string>()
    return entries.find((entry) => {
      if (!entry.refusal && !held.has(entry.id) && !newIdsIn(entry).some((id) => held.has(id))) return true
      held.add(entry.id)
      return false
    })
  }

  function put(next: Entry) {
    entries = entries.map((other) => (other.order === next.order ? next : other))
  }

  function replace(next: Entry) {
    put(next)
    return database.change({ put: [next] })
  }

  function settle(settled: Settled) {
    onSettled(settled)
    tell({ settled })
  }

  /** Removes a saved write, and tells later ones the id, the fields and the version of its document. */
  async function complete(entry: Entry, document: Document | undefined) {
    const ids = entry.kind === 'create' && document ? ([entry.id, document.id] as const) : undefined
    if (ids) savedIds.set(...ids)
    if (document) saved.set(document.id, document)
    const before = new Set(entries)
    entries = entries.filter((other) => other.order !== entry.order)
    if (ids) entries = entries.map(renamed)
    const next = document && entries.find((other) => other.id === document.id)
    if (next) put({ ...next, base: document })
    let turn: number | undefined
    try {
      turn = await database.change({
        ...{ put: entries.filter((other) => !before.has(other)), remove: [entry], ids },
        // After a sign-out, nothing is kept for lists.
        saved: signal.aborted ? undefined : toSaved(entry, document),
      })
    } finally {
      sending = undefined
      // It is saved, even if the browser cannot keep that. The next page sends it again, which changes nothing.
      settle({ key: entry.key, document, turn })
    }
  }

  async function refuse(entry: Entry, { error, theirs }: Refusal) {
    const { code, message, issues, status, mayBeDone } = error
    const known = status === 404 ? undefined : entry.base
    const refused = { ...entry, refusal: { code, message, issues, status, mayBeDone }, theirs: theirs ?? known }
    await replace(refused)
    show()
    tell({})
    // Otherwise, an app that always retries would send a write forever that the service never accepts.
    if (code === 'CONFLICT' || asked.get(entry.key) !== code) ask(refused)
  }

  function ask(entry: Entry) {
    const { onConflict } = options
    asked.set(entry.key, entry.refusal?.code)
    // An error of the app is reported as an unhandled rejection, and leaves the write in the outbox.
    if (onConflict)
      void Promise.resolve()
        .then(() => onConflict(toWrite(entry), toVersions(entry)))
        .then((decision) => decision && decide(entry.key, decision as Decision))
  }

  async function decide(key: string, decision: Decision) {
    const fields = typeof decision === 'object' ? toBody(client, decision.body) : undefined
    if (!isLeader) return tell({ decide: [key, decision] })
    const entry = entries.find((other) => other.key === key)
    if (!entry?.refusal || signal.aborted) return
    if (decision === 'discard') await discard(entry, entry.refusal)
    else {
      const { refusal: _, theirs, sentAt: __, ...rest } = entry
      saved.delete(entry.id)
      // With other fields, the old idempotency key would be refused.
      await replace({ ...rest, ...tools.repeatable(), body: fields ?? entry.body, base: theirs ?? entry.base })
      tell({})
    }
    show()
    wake()
  }

  async function discard(entry: Entry, refusal: PlainError) {
    const isNew = entry.kind === 'create'
    // Nothing can be written to a document that will not exist.
    const dropped = entries.filter((other) => other === entry || (isNew && other.id === entry.id))
    entries = entries.filter((other) => !dropped.includes(other))
    // Links to it would be saved as a text that no document has as its id.
    const orphans = entries
      .filter((other) => isNew && newIdsIn(other).includes(entry.id))
      .map((other) => ({ ...other, refusal }))
    orphans.forEach(put)
    await database.change({ put: orphans, remove: dropped })
    for (const { key } of dropped) settle({ key, error: refusal })
    orphans.forEach(ask)
  }

  /** Returns the token of the user. @throws {SvcError} `UNAUTHORIZED` if another user is signed in, or nobody */
  async function toToken(): Promise<string> {
    for (;;) {
      // Refreshes an old token, unlike reading the session.
      const token = await tools.session.token()
      const session = await client.auth.session()
      if ((session?.user.id ?? '') !== user) throw new SvcError('UNAUTHORIZED', 'Sign in again.', [], { status: 401 })
      // Otherwise the user or the token has changed in between.
      if (session?.token === token) return token ?? ''
    }
  }

  /** Waits until there is something to do. */
  function sleep(milliseconds?: number) {
    return new Promise<void>((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (signal.aborted) wake()
    })
  }

  async function waitFor(error: SvcError | undefined, milliseconds?: number) {
    waiting = error
    show()
    await sleep(milliseconds)
  }

  /** Reads what the tab that has sent until now has left. */
  async function takeOver() {
    isLeader = true
    isStale = true
    savedIds = await database.savedIds()
    const before = entries
    await readAdded()
    const left = new Set(entries.map(({ key }) => key))
    // That tab may have crashed before it told the others of the end of a write.
    for (const { key, refusal } of before) if (!left.has(key)) onSettled({ key, error: refusal })
    if (!entries[0]) await database.clearIds()
    for (const entry of entries) if (entry.refusal) ask(entry)
  }

  /** Sends writes until the queue is closed. */
  async function lead() {
    await takeOver()
    show()
    while (!signal.aborted) {
      await readAdded()
      const entry = firstSendable()
      if (entry) await sendInTurn(entry)
      else await waitFor(undefined)
    }
  }

  async function sendInTurn(entry: Entry) {
    try {
      await options.requireKeys()
      const token = await toToken()
      const last = saved.get(entry.id)
      const sent = { ...entry, sentAt: entry.sentAt ?? Date.now(), base: newer(entry.base, last) }
      if (!entry.sentAt) await replace(sent)
      if (signal.aborted) return
      sending = entry.key
      show()
      const document = await sendEntry(client, {
        ...{ entry: sent, isRepeated: Boolean(entry.sentAt), version: last?.version, token, signal },
        keepBase: (base) => replace({ ...sent, base }),
      })
      failures = 0
      waiting = undefined
      // Completes it even if the queue has been closed, because the service has saved it.
      await complete(sent, document)
    } catch (error) {
      if (!signal.aborted) await onFailure(entry.key, error)
    } finally {
      sending = undefined
    }
  }

  async function onFailure(key: string, error: unknown) {
    sending = undefined
    const entry = entries.find((other) => other.key === key)
    if (entry) saved.delete(entry.id)
    if (entry && error instanceof Refusal) return refuse(entry, error)
    const why = error instanceof SvcError ? error : new SvcError('UNAVAILABLE', String(error))
    await waitFor(why, tools.backOff(Math.min(++failures, maxDoublings), 500))
  }

  void locks.request(name, { signal }, lead).catch((error) => {
    if (signal.aborted) return
    onBroken()
    throw error
  })
  void refresh()

  function toWrite(entry: Entry): QueuedWrite {
    const { key, collection, kind, id, body, begunAt, refusal, theirs } = entry
    const write = { key, collection, kind, id, body, begunAt }
    if (refusal) return { ...write, state: 'conflict', error: toError(refusal), theirs }
    return { ...write, state: key === sending ? 'sending' : 'pending' }
  }

  return {
    writes: () => entries.map(toWrite),
    waiting: () => waiting,
    async add(write, base) {
      const added = database.add({ ...write, base })
      // If this tab ends before it knows that the write is kept, the sending tab reads it all the same.
      tell({})
      await added
      tell({})
      await refresh()
    },
    decide: (key, decision) => void decide(key, decision),
    wake: () => wake(),
    close() {
      over.abort()
      wake()
      channel.close()
      // Also those that other tabs have added.
      return database.entries(0).then(
        (left) => left.map(toWrite),
        () => [],
      )
    },
  }
}

function toSaved({ key, collection, kind, id, begunAt }: Entry, document: Document | undefined): Mutation {
  // The document shows what the body has changed.
  return { ...{ key, collection, kind, begunAt, body: {}, document }, id: document?.id ?? id, state: 'saved' }
}

/** A write may have been made before its tab knew of the one before it. */
function newer(base: Document | undefined, saved: Document | undefined): Document | undefined {
  return base && saved && base.updatedAt >= saved.updatedAt ? base : (saved ?? base)
}

const idsOf = new WeakMap<Fields, readonly string[]>()

/** Returns the ids of new documents that a write uses, which are replaced once these are saved. */
function newIdsIn({ kind, id, body }: Entry): readonly string[] {
  const linked = idsOf.get(body) ?? [...JSON.stringify(body).matchAll(/"(new-[^"]+)"/g)].map(([, id = '']) => id)
  idsOf.set(body, linked)
  return kind === 'create' || !id.startsWith('new-') ? linked : [id, ...linked]
}

/** Copies fields as JSON, as they are sent. @throws {SvcError} `VALIDATION_ERROR` for values that cannot be sent */
export function toBody(client: Client, fields: object): Fields {
  if (
    Object.values(fields)
      .flat()
      .some((value) => value instanceof Blob)
  )
    throw new SvcError('VALIDATION_ERROR', 'Upload files first.')
  return JSON.parse(client.collection('')[internals].encodeBody(fields))
}

export function toError({ code, message, issues, ...extras }: PlainError): SvcError {
  return new SvcError(code, message, issues, extras)
}

function toVersions({ kind, body, base, theirs }: Entry): Versions {
  const { $append: _, $remove: __, $unset: ___, ...fields } = body
  return { mine: kind === 'remove' ? undefined : { ...base?.data, ...fields }, theirs }
}
