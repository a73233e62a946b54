/** One document as it is stored, and what has been typed over it. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { type Document, type Fields, type Issue, SvcError } from '../../../../client/index.js'
import { isObject } from '../../../../client/protocol/model/json.js'
import { useSession } from '../../../session/context.js'
import { type Draft, draftOf, dropDraft, keepDraft } from './drafts.js'

export interface Edited {
  /** Undefined for a new one, and until it has come. */
  readonly stored: Document | undefined
  readonly error: unknown
  readonly text: string
  readonly isChanged: boolean
  /** Somebody else has saved it since this was begun. */
  readonly isStale: boolean
  readonly failure: unknown
  readonly issues: readonly Issue[]
  /** What there is now, after a save was refused because of it. */
  readonly conflict: Conflict | undefined
  readonly isSaving: boolean
  readonly edit: (text: string) => void
  readonly save: (over?: { readonly data: Fields; readonly version: number }) => Promise<Document | undefined>
  readonly discard: () => void
  /** Another document with what is in the editor. */
  readonly createAgain: () => Promise<Document | undefined>
}

export interface Conflict {
  readonly base: Fields
  readonly mine: Fields
  readonly theirs: Document
}

const noIssues: readonly Issue[] = []
const textOf = (data: Fields) => JSON.stringify(data, undefined, 2)

export function useDocument(collection: string, id: string | undefined): Edited {
  const { client, acting, folder, project } = useSession()
  const queries = useQueryClient()
  const keyOf = (each: string | undefined) => [folder, project.id, collection, each ?? 'new'].join('/')
  const key = keyOf(id)
  const isRunning = useRef(false)
  const [draft, setDraft] = useState<Draft | undefined>(() => draftOf(key))
  const [failure, setFailure] = useState<unknown>()
  const [conflict, setConflict] = useState<Conflict>()
  const [isSaving, setSaving] = useState(false)
  const { data: stored, error } = useQuery({
    queryKey: ['document', id, collection, acting?.user.id],
    queryFn: () => client.collection(collection).get(id ?? ''),
    enabled: id !== undefined,
  })
  const clean = id === undefined ? '{\n  \n}' : stored ? textOf(stored.data) : ''

  const edit = useCallback(
    (text: string) => {
      setFailure(undefined)
      setDraft((before) => {
        if (before === undefined && text === clean) return before
        const next = { text, version: before?.version ?? stored?.version, base: before?.base ?? stored?.data ?? {} }
        keepDraft(key, next)
        return next
      })
    },
    [key, clean, stored],
  )

  const discard = useCallback(() => {
    dropDraft(key)
    setDraft(undefined)
    setFailure(undefined)
    setConflict(undefined)
  }, [key])

  async function write(data: Fields, version: number | undefined): Promise<Document> {
    const documents = client.collection(collection)
    if (id === undefined) return documents.create(data)
    return documents.replace(id, data, version === undefined ? {} : { ifMatch: version })
  }

  async function save(over?: { readonly data: Fields; readonly version: number }) {
    if (isRunning.current) return undefined
    isRunning.current = true
    setSaving(true)
    setFailure(undefined)
    let mine: Fields = {}
    const sent = draftOf(key)?.text ?? clean
    try {
      mine = over?.data ?? parse(sent)
      const saved = await write(mine, over?.version ?? draft?.version ?? stored?.version)
      queries.setQueryData(['document', saved.id, collection, acting?.user.id], saved)
      const newer = draftOf(key)
      discard()
      // What was typed while it was being saved goes on from what is stored now.
      if (newer && newer.text !== sent && !over) {
        const next = { text: newer.text, version: saved.version, base: saved.data }
        keepDraft(keyOf(saved.id), next)
        if (id !== undefined) setDraft(next)
      }
      return saved
    } catch (error) {
      if (error instanceof SvcError && error.code === 'CONFLICT' && id !== undefined) {
        const theirs = await client.collection(collection).get(id).catch(setFailure)
        if (theirs) setConflict({ base: draft?.base ?? {}, mine, theirs })
      } else setFailure(error)
      return undefined
    } finally {
      isRunning.current = false
      setSaving(false)
    }
  }

  async function createAgain() {
    try {
      const made = await client.collection(collection).create(parse(draft?.text ?? clean))
      discard()
      return made
    } catch (error) {
      setFailure(error)
      return undefined
    }
  }

  return {
    createAgain,
    ...{ stored, error, failure, conflict, isSaving, edit, save, discard },
    text: draft?.text ?? clean,
    isChanged: draft !== undefined,
    isStale: draft !== undefined && stored?.version !== undefined && stored.version !== draft.version,
    issues: failure instanceof SvcError ? failure.issues : noIssues,
  }
}

/** @throws {Error} what is no JSON object */
function parse(text: string): Fields {
  const value: unknown = JSON.parse(text)
  if (isObject(value)) return value
  throw new Error('A document is a JSON object: { … }')
}
