/** Documents whose boxes are checked. Shift checks all between two boxes. */
import { useCallback, useMemo, useRef, useState } from 'react'
import type { Document } from '../../../../client/index.js'

export interface Picked {
  readonly documents: ReadonlyMap<string, Document>
  readonly ids: ReadonlySet<string>
  readonly toggle: (document: Document, isRange: boolean) => void
  readonly pickAll: (documents: readonly Document[]) => void
  readonly clear: () => void
}

/** @param listLoaded lists the loaded documents in the order of the rows */
export function usePicked(listLoaded: () => readonly Document[]): Picked {
  const [documents, setDocuments] = useState<ReadonlyMap<string, Document>>(new Map())
  const last = useRef<string>(undefined)
  const loaded = useRef(listLoaded)
  loaded.current = listLoaded
  const toggle = useCallback((document: Document, isRange: boolean) => {
    const from = isRange ? last.current : undefined
    last.current = document.id
    setDocuments((before) => {
      const next = new Map(before)
      const isOn = !before.has(document.id)
      const range = from === undefined ? [document] : between(loaded.current(), from, document)
      for (const each of range) {
        if (isOn) next.set(each.id, each)
        else next.delete(each.id)
      }
      return next
    })
  }, [])
  const pickAll = useCallback((all: readonly Document[]) => {
    setDocuments((before) => {
      const isAll = all.every(({ id }) => before.has(id))
      return isAll ? new Map() : new Map([...before, ...all.map((each) => [each.id, each] as const)])
    })
  }, [])
  const clear = useCallback(() => setDocuments(new Map()), [])
  const ids = useMemo(() => new Set(documents.keys()), [documents])
  return { documents, ids, toggle, pickAll, clear }
}

function between(all: readonly Document[], from: string, to: Document): readonly Document[] {
  const [one, other] = [from, to.id].map((id) => all.findIndex((each) => each.id === id)).sort((a, b) => a - b)
  return one === undefined || other === undefined || one < 0 ? [to] : all.slice(one, other + 1)
}
