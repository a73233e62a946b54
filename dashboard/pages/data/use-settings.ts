/** Edits settings of a collection, such as its schema. Changes that another tab saves in the meantime are merged, part by part. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { CollectionInput } from '../../../client/collections/collections.js'
import type { Collection, Fields, Issue } from '../../../client/index.js'
import { SvcError } from '../../../client/index.js'
import { isObject } from '../../../client/protocol/model/json.js'
import { useSession } from '../../session/context.js'
import { useUnsaved } from '../../session/unsaved.js'
import { merge } from './document/merge.js'

interface Unsaved<Value> {
  readonly base: Value
  readonly value: Value
}

export interface Settings<Value> {
  readonly base: Value
  readonly value: Value
  readonly isChanged: boolean
  readonly isSaving: boolean
  readonly failure: Error | null
  /** Problems that the service found. */
  readonly issues: readonly Issue[]
  readonly change: (value: Value) => void
  readonly discard: () => void
  readonly save: () => void
}

const noIssues: readonly Issue[] = []

/** @param read takes the settings from a collection, in the form in which they are sent */
export function useSettings<Value extends Partial<CollectionInput>>(
  collection: Collection,
  kind: string,
  read: (collection: Collection) => Value,
): Settings<Value> {
  const { owner, project } = useSession()
  const queries = useQueryClient()
  const [unsaved, setUnsaved] = useUnsaved<Unsaved<Value>>(`${project.id}/${collection.id}/${kind}`)
  const stored = read(collection)
  const base = unsaved?.base ?? stored
  const value = unsaved?.value ?? stored
  const saving = useMutation({
    async mutationFn() {
      const now = read(await owner.collections.get(collection.name))
      if (isSame(now, base)) return owner.collections.update(collection.name, value)
      setUnsaved({ base: now, value: mergeParts(base, value, now) })
      throw new Error(
        'Changed elsewhere while this was open. Parts you did not edit show the new values. Save again to overwrite the others.',
      )
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['collections'] })
      setUnsaved(undefined)
    },
  })
  const change = (next: Value) => {
    if (saving.error) saving.reset()
    setUnsaved(isSame(next, base) ? undefined : { base, value: next })
  }
  return {
    ...{ base, value, change },
    isChanged: unsaved !== undefined,
    isSaving: saving.isPending,
    failure: saving.error,
    issues: saving.error instanceof SvcError ? saving.error.issues : noIssues,
    discard: () => {
      saving.reset()
      setUnsaved(undefined)
    },
    save: () => saving.mutate(),
  }
}

/** Compares the order of fields too, because forms follow it. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Keeps the parts that only one side changed, and mine where both did. Goes one level into objects, such as the schema. */
function mergeParts<Value>(base: Value, mine: Value, theirs: Value): Value {
  const [before, here, there] = [toFields(base), toFields(mine), toFields(theirs)]
  const { data, choices } = merge(before, here, there)
  for (const { field } of choices) {
    const [was, own, other] = [before[field], here[field], there[field]]
    if (isObject(was) && isObject(own) && isObject(other)) data[field] = merge(was, own, other).data
  }
  return data as Value
}

/** Settings are sent as JSON, so nothing is lost. */
function toFields(value: unknown): Fields {
  return JSON.parse(JSON.stringify(value))
}
