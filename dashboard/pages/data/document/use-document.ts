/** Loads a document and manages its unsaved edits. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useReducer, useRef } from 'react'
import { type Client, type Document, type Fields, type Issue, SvcError } from '../../../../client/index.js'
import { parseExactJson } from '../../../../client/protocol/model/exact-json.js'
import { isObject } from '../../../../client/protocol/model/json.js'
import { type Acting, useSession } from '../../../session/context.js'
import { type Draft, draftKey, dropDraft, keepDraft, readDraft } from '../../../session/drafts.js'
import { findChanged, pick } from '../form/checks.js'
import { type Conflict, type Editing, type EditingEvent, nextEditing } from './editing.js'

export interface Edited {
  /** Undefined for a new document, and until loaded. */
  readonly stored: Document | undefined
  readonly error: unknown
  readonly text: string
  /** Version that the edits are based on. Undefined for a new document, and until loaded. */
  readonly base: Fields | undefined
  readonly isChanged: boolean
  /** Someone else saved the document after the draft began. */
  readonly isStale: boolean
  /** Author of the draft, if the page acts as another user by now. Only the author can save it. */
  readonly typedAs: string | undefined
  readonly failure: unknown
  readonly issues: readonly Issue[]
  /** Set if a save was refused because someone else saved first. */
  readonly conflict: Conflict | undefined
  readonly isSaving: boolean
  readonly edit: (text: string) => void
  readonly save: (over?: { readonly data: Fields; readonly version: number }) => Promise<Document | undefined>
  readonly discard: () => void
  /** Leaves the conflict view, with the merged text in the editor. */
  readonly editJoined: (data: Fields) => void
  /** Creates a new document from the text. */
  readonly createAgain: () => Promise<Document | undefined>
}

const noIssues: readonly Issue[] = []
const formatJson = (data: Fields) => JSON.stringify(data, undefined, 2)

export function useDocument(collection: string, id: string | undefined): Edited {
  const session = useSession()
  const { client, acting } = session
  const key = draftKey(session, collection, id)
  const [state, change] = useEditing(key)
  const { draft } = state
  const conflict = 'conflict' in state ? state.conflict : undefined
  const failure = state.kind === 'failed' ? state.failure : undefined
  const { data: stored, error } = useQuery({
    queryKey: ['document', id, collection, acting?.user.id],
    queryFn: () => client.collection(collection).get(id ?? ''),
    enabled: id !== undefined,
  })
  const typedAs =
    draft && id !== undefined && draft.by?.id !== acting?.user.id ? (draft.by?.email ?? 'the owner') : undefined
  const clean = id === undefined ? '{\n  \n}' : stored ? formatJson(stored.data) : ''
  const saves = useSaves({ ...{ collection, id, key, stored, draft, conflict, clean, typedAs }, change })

  const edit = useCallback(
    (text: string) => {
      const before = readDraft(key)
      if (before || text !== clean)
        change({ kind: 'typed', draft: { ...(before ?? startDraft(stored, acting)), text } })
    },
    [key, change, clean, stored, acting],
  )

  const discard = useCallback(() => change({ kind: 'discarded' }), [change])

  function editJoined(data: Fields) {
    if (conflict) change({ kind: 'saved', draft: { ...startDraft(conflict.theirs, acting), text: formatJson(data) } })
  }

  return {
    ...{ stored, error, failure, conflict, typedAs, edit, discard, editJoined, ...saves },
    text: draft?.text ?? clean,
    base: id === undefined ? undefined : (draft?.base ?? stored?.data),
    isSaving: state.kind === 'saving',
    isChanged: draft !== undefined,
    isStale: draft !== undefined && stored?.version !== undefined && stored.version !== draft.version,
    issues: failure instanceof SvcError ? failure.issues : noIssues,
  }
}

interface Saving extends Pick<Edited, 'stored' | 'conflict' | 'typedAs'> {
  readonly collection: string
  readonly id: string | undefined
  /** Key of the draft. */
  readonly key: string
  readonly draft: Draft | undefined
  /** Text without a draft. */
  readonly clean: string
  readonly change: (event: EditingEvent) => void
}

/** Writes the edits to the service, one save at a time. */
function useSaves(saving: Saving): Pick<Edited, 'save' | 'createAgain'> {
  const { collection, id, key, stored, draft, conflict, clean, typedAs, change } = saving
  const session = useSession()
  const { client, acting } = session
  const documents = client.collection(collection)
  const queries = useQueryClient()
  const isRunning = useRef(false)

  async function save(over?: { readonly data: Fields; readonly version: number }) {
    if (isRunning.current) return undefined
    isRunning.current = true
    change({ kind: 'begun' })
    let mine: Fields = {}
    const sent = readDraft(key)?.text ?? clean
    const base = over && conflict ? conflict.theirs.data : draft?.base
    try {
      // Saving replaces the whole document, which would delete fields that are hidden from the author.
      if (typedAs !== undefined) throw new Error(describeOtherAuthor(typedAs))
      mine = over?.data ?? parse(sent)
      const version = over?.version ?? draft?.version ?? stored?.version
      const saved = await write(documents, { id, data: mine, version, before: base ?? stored?.data ?? {} })
      queries.setQueryData(['document', saved.id, collection, acting?.user.id], saved)
      settle(saved, over ? undefined : sent)
      return saved
    } catch (error) {
      change(await settleFailure(documents, { id, error }, (theirs) => ({ base: base ?? {}, mine, theirs })))
      return undefined
    } finally {
      isRunning.current = false
    }
  }

  /** Keeps text that was typed during the save, based on the version just stored. */
  function settle(saved: Document, sent: string | undefined) {
    const newer = sent === undefined ? undefined : readDraft(key)
    const next = newer && newer.text !== sent ? { ...startDraft(saved, acting), text: newer.text } : undefined
    change({ kind: 'saved', draft: id === undefined ? undefined : next })
    if (id === undefined && next) keepDraft(draftKey(session, collection, saved.id), next)
  }

  async function createAgain() {
    try {
      const made = await documents.create(parse(draft?.text ?? clean))
      change({ kind: 'discarded' })
      return made
    } catch (error) {
      change({ kind: 'refused', failure: error })
      return undefined
    }
  }

  return { save, createAgain }
}

/** Maps a failed save to an event. On a version conflict, loads what is stored now. */
async function settleFailure(
  documents: ReturnType<Client['collection']>,
  { id, error }: { readonly id: string | undefined; readonly error: unknown },
  conflictWith: (theirs: Document) => Conflict,
): Promise<EditingEvent> {
  if (!(error instanceof SvcError) || error.code !== 'CONFLICT' || id === undefined) {
    return { kind: 'refused', failure: error }
  }
  return documents.get(id).then(
    (theirs) => ({ kind: 'overtaken', conflict: conflictWith(theirs) }),
    (failure) => ({ kind: 'refused', failure }),
  )
}

/** Holds the editor state, and stores drafts so that they survive the editor. */
function useEditing(key: string): [Editing, (event: EditingEvent) => void] {
  const [state, dispatch] = useReducer(nextEditing, undefined, (): Editing => ({ kind: 'idle', draft: readDraft(key) }))
  const change = useCallback(
    (event: EditingEvent) => {
      if (event.kind === 'typed' || event.kind === 'saved') storeDraft(key, event.draft)
      if (event.kind === 'discarded') dropDraft(key)
      dispatch(event)
    },
    [key],
  )
  return [state, change]
}

function storeDraft(key: string, draft: Draft | undefined): void {
  if (draft) keepDraft(key, draft)
  else dropDraft(key)
}

/** Starts a draft from a stored document, or from nothing, as the acting user. */
function startDraft(document: Document | undefined, acting: Acting | undefined): Omit<Draft, 'text'> {
  const by = acting && { id: acting.user.id, email: acting.user.email }
  return { version: document?.version, base: document?.data ?? {}, by }
}

interface Written {
  readonly id: string | undefined
  readonly data: Fields
  readonly before: Fields
  readonly version: number | undefined
}

/** Sends only what changed where it can, so that stored values that break a rule elsewhere do not matter. Contract 13.2. */
function write(documents: ReturnType<Client['collection']>, { id, data, before, version }: Written): Promise<Document> {
  if (id === undefined) return documents.create(data)
  const options = version === undefined ? {} : { ifMatch: version }
  const changed = findChanged(data, before)
  const canPatch = changed.length > 0 && changed.every((name) => Object.hasOwn(data, name) && !name.startsWith('$'))
  return canPatch ? documents.update(id, pick(data, changed), options) : documents.replace(id, data, options)
}

function describeOtherAuthor(name: string): string {
  return `You made these edits as ${name}. Act as ${name} again to save them, or discard them, because you may see other fields.`
}

/** @throws {Error} if the text is not a JSON object */
function parse(text: string): Fields {
  const value: unknown = parseExactJson(text)
  if (isObject(value)) return value
  throw new Error('A document must be a JSON object: { … }')
}
