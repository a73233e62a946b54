/** Actions for the documents whose boxes are checked. */
import { useState } from 'react'
import type { Document } from '../../../../client/index.js'
import { counted, formatCount } from '../../../../client/protocol/model/figures.js'
import { useUndo } from '../../../frame/undo.js'
import { describeError } from '../../../parts/states.js'
import { useKeys } from '../../../parts/use-keys.js'
import { useSession } from '../../../session/context.js'
import { ExportDialog } from '../export-dialog.js'
import type { QueryState } from '../query-state.js'
import type { Picked } from './use-picked.js'

interface BarProps {
  readonly name: string
  readonly query: QueryState
  readonly picked: Picked
  /** Then Esc closes the pane first. */
  readonly isPaneOpen: boolean
  readonly onEdit: () => void
}

export function PickedBar({ name, query, picked, isPaneOpen, onEdit }: BarProps) {
  const { client } = useSession()
  const { doUndoably, notify } = useUndo()
  const [isExporting, setExporting] = useState(false)
  const documents: readonly Document[] = [...picked.documents.values()]
  const ids = documents.map(({ id }) => id)
  const remove = async () => {
    try {
      const text = `Deleted ${counted(ids.length, 'document')} in ${name}`
      const work = () => client.collection(name).deleteMany(ids)
      if (await doUndoably(text, `docs delete ${name}`, work)) picked.clear()
    } catch (error) {
      notify({ text: describeError(error), isBad: true })
    }
  }
  useKeys({
    e: onEdit,
    x: () => setExporting(true),
    backspace: () => void remove(),
    delete: () => void remove(),
    ...(isPaneOpen ? {} : { escape: picked.clear }),
  })
  const onlyThese = {
    ...query,
    where: { all: [{ any: [{ path: ['id'], operator: 'in', values: ids }] }] },
  } as QueryState
  return (
    <div className="picked-bar" role="toolbar" aria-label="Selected documents">
      <b>{formatCount(ids.length)} selected</b>
      <button type="button" onClick={onEdit}>
        Edit <kbd>E</kbd>
      </button>
      <button type="button" onClick={() => setExporting(true)}>
        Export <kbd>X</kbd>
      </button>
      <button type="button" className="bad" onClick={() => void remove()}>
        Delete <kbd>Del</kbd>
      </button>
      <button type="button" onClick={picked.clear}>
        Clear <kbd>Esc</kbd>
      </button>
      {isExporting ? (
        <ExportDialog name={name} query={onlyThese} total={ids.length} onClose={() => setExporting(false)} />
      ) : null}
    </div>
  )
}
