/** One document as it is stored, and what has been typed over it. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useReducer, useRef } from 'react'
import { type Client, type Document, type Fields, type Issue, SvcError } from '../../../../client/index.js'
import { parseExactJson } from '../../../../client/protocol/model/exact-json.js'
import { isObject } from '../../../../client/protocol/model/json.js'
import { type Acting, useSession } from '../../../session/context.js'
import { type Draft, draftKey, draftOf, dropDraft, keepDraft } from '../../../session/drafts.js'
import { type Conflict, type Editing, type EditingEvent, nextEditing } from './editing.js'

export interface Edited {
  /** Undefined for a new one, and until it has come. */
  readonly stored: Document | undefined
  readonly error: unknown
  readonly text: string
  readonly isChanged: boolean
  /** Somebody else has saved it since this was begun. */
  readonly isStale: boolean
  /** Whom it was typed as, where somebody else is acted as by now; only as them it is saved. */
  readonly typedAs: string | undefined
  readonly failure: unknown
  readonly issues: readonly Issue[]
  /** What there is now, after a save was refused because of it. */
  readonly conflict: Conflict | undefined
  readonly isSaving: boolean
  readonly edit: (text: string) => void
  readonly save: (over?: { readonly data: Fields; readonly version: number }) => Promise<Document | undefined>
  readonly discard: () => void
  /** Leaves a conflict for the editor, with what was joined of it. */
  readonly editJoined: (data: Fields) => void
  /** Another document with what is in the editor. */
  readonly createAgain: () => Promise<Document | undefined>
}

const noIssues: readonly Issue[] = []
const textOf = (data: Fields) => JSON.stringify(data, undefined, 2)

export function useDocument(collection: string, id: string | undefined): Edited {
  const session = useSession()
  const { client, acting } = session
  const documents = client.collection(collection)
  const queries = useQueryClient()
  const key = draftKey(session, collection, id)
  const isRunning = useRef(false)
  const [state, change] = useEditing(key)
  const { draft } = state
  const conflict = 'conflict' in state ? state.conflict : undefined
  const failure = state.kind === 'failed' ? state.failure : undefined
  const { data: stored, error } = useQuery({
    queryKey: ['document', id, collection, acting?.user.id],
    queryFn: () => documents.get(id ?? ''),
    enabled: id !== undefined,
  })
  const typedAs =
    draft && id !== undefined && draft.by?.id !== acting?.user.id ? (draft.by?.email ?? 'the owner') : undefined
  const clean = id === undefined ? '{\n  \n}' : stored ? textOf(stored.data) : ''

  const edit = useCallback(
    (text: string) => {
      const before = draftOf(key)
      if (before || text !== clean) change({ kind: 'typed', draft: { ...(before ?? begunFrom(stored, acting)), text } })
    },
    [key, change, clean, stored, acting],
  )

  const discard = useCallback(() => change({ kind: 'discarded' }), [change])

  function editJoined(data: Fields) {
    if (conflict) change({ kind: 'saved', draft: { ...begunFrom(conflict.theirs, acting), text: textOf(data) } })
  }

  async function save(over?: { readonly data: Fields; readonly version: number }) {
    if (isRunning.current) return undefined
    isRunning.current = true
    change({ kind: 'begun' })
    let mine: Fields = {}
    const sent = draftOf(key)?.text ?? clean
    try {
      // A save takes the place of the whole document: a field that is hidden from one of the two would be deleted.
      if (typedAs !== undefined) throw new Error(otherWords(typedAs))
      mine = over?.data ?? parse(sent)
      const version = over?.version ?? draft?.version ?? stored?.version
      const saved = await write(documents, { id, data: mine, version })
      queries.setQueryData(['document', saved.id, collection, acting?.user.id], saved)
      const newer = draftOf(key)
      // What was typed while it was being saved goes on from what is stored now.
      const next = newer && newer.text !== sent && !over ? { ...begunFrom(saved, acting), text: newer.text } : undefined
      change({ kind: 'saved', draft: id === undefined ? undefined : next })
      if (id === undefined && next) keepDraft(draftKey(session, collection, saved.id), next)
      return saved
    } catch (error) {
      change(
        await endOf(error, (theirs) => ({
          base: over && conflict ? conflict.theirs.data : (draft?.base ?? {}),
          mine,
          theirs,
        })),
      )
      return undefined
    } finally {
      isRunning.current = false
    }
  }

  /** Of a save that failed: what there is now, where somebody else was first. */
  async function endOf(error: unknown, conflictWith: (theirs: Document) => Conflict): Promise<EditingEvent> {
    if (!(error instanceof SvcError) || error.code !== 'CONFLICT' || id === undefined) {
      return { kind: 'refused', failure: error }
    }
    return documents.get(id).then(
      (theirs) => ({ kind: 'overtaken', conflict: conflictWith(theirs) }),
      (failure) => ({ kind: 'refused', failure }),
    )
  }

  async function createAgain() {
    try {
      const made = await documents.create(parse(draft?.text ?? clean))
      discard()
      return made
    } catch (error) {
      change({ kind: 'refused', failure: error })
      return undefined
    }
  }

  return {
    ...{ stored, error, failure, conflict, typedAs, edit, save, discard, editJoined, createAgain },
    text: draft?.text ?? clean,
    isSaving: state.kind === 'saving',
    isChanged: draft !== undefined,
    isStale: draft !== undefined && stored?.version !== undefined && stored.version !== draft.version,
    issues: failure instanceof SvcError ? failure.issues : noIssues,
  }
}

/** The state of the editor, whose draft outlives it. */
function useEditing(key: string): [Editing, (event: EditingEvent) => void] {
  const [state, dispatch] = useReducer(nextEditing, undefined, (): Editing => ({ kind: 'idle', draft: draftOf(key) }))
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

/** What is typed over a document, or into a new one, by whoever is acted as. */
function begunFrom(document: Document | undefined, acting: Acting | undefined): Omit<Draft, 'text'> {
  const by = acting && { id: acting.user.id, email: acting.user.email }
  return { version: document?.version, base: document?.data ?? {}, by }
}

interface Written {
  readonly id: string | undefined
  readonly data: Fields
  readonly version: number | undefined
}

function write(documents: ReturnType<Client['collection']>, { id, data, version }: Written): Promise<Document> {
  if (id === undefined) return documents.create(data)
  return documents.replace(id, data, version === undefined ? {} : { ifMatch: version })
}

function otherWords(name: string): string {
  return `This was typed while you acted as ${name}. Act as ${name} again to save it, or discard it: you may see other fields.`
}

/** @throws {Error} what is no JSON object */
function parse(text: string): Fields {
  const value: unknown = parseExactJson(text)
  if (isObject(value)) return value
  throw new Error('A document is a JSON object: { … }')
}
