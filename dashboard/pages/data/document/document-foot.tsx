/** The foot of a document: what changed, what to fix, and the buttons that save, discard and delete. */
import { counted, formatCount } from '../../../../client/protocol/model/figures.js'
import { useUndo } from '../../../frame/undo.js'
import { Failure } from '../../../live/failure.js'
import { Button } from '../../../parts/button.js'
import { formatName } from '../../../parts/columns.js'
import { Menu } from '../../../parts/menu.js'
import { describeError } from '../../../parts/states.js'
import { shortcut } from '../../../parts/words.js'
import { useSession } from '../../../session/context.js'
import { focusField } from '../form/document-form.js'
import type { Edited } from './use-document.js'

/** Returns a function that deletes the document, with undo, and closes its pane. */
export function useRemove(collection: string, { stored, discard }: Edited, onClose: () => void): () => Promise<void> {
  const { client } = useSession()
  const { doUndoably, notify } = useUndo()
  return async () => {
    if (!stored) return
    try {
      const command = `svc docs delete ${collection} ${stored.id}`
      const work = () => client.collection(collection).delete(stored.id)
      if (!(await doUndoably(`Deleted ${formatName(stored)}`, command, work))) return
      discard()
      onClose()
    } catch (error) {
      notify({ text: describeError(error), isBad: true })
    }
  }
}

interface FootProps {
  readonly edited: Edited
  readonly changed: readonly string[]
  /** Fields that keep the document from being saved. */
  readonly wrong: readonly string[]
  readonly save: () => Promise<void>
  readonly remove: () => Promise<void>
}

export function DocumentFoot({ edited, changed, wrong, save, remove }: FootProps) {
  const { stored, isChanged, isSaving, failure, discard } = edited
  return (
    <>
      <FootFailure error={failure} />
      <Changes names={changed} />
      <ToFix names={wrong} onFix={focusField} />
      <Standing edited={edited} />
      {isChanged ? (
        <Button onClick={discard}>Discard</Button>
      ) : stored ? (
        <Button onClick={() => void remove()}>Delete</Button>
      ) : null}
      <Button
        look="main"
        disabled={isSaving || wrong.length > 0 || (stored !== undefined && !isChanged)}
        onClick={() => void save()}
      >
        {stored ? 'Save' : 'Create'} <kbd>{shortcut('S')}</kbd>
      </Button>
    </>
  )
}

/** Shows why the last save failed, if it did. */
export function FootFailure({ error }: { error: unknown }) {
  if (!error) return null
  return (
    <div className="foot-failure">
      <Failure error={error} />
    </div>
  )
}

/** Counts the changes, and lists them. */
export function Changes({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <Menu
      look="link"
      trigger={counted(names.length, 'change')}
      entries={names.map((name) => ({ label: name, run: () => requestAnimationFrame(() => focusField(name)) }))}
    />
  )
}

/** Says why it cannot be saved, and leads to the first field to fix. */
export function ToFix({ names, onFix }: { names: readonly string[]; onFix: (name: string) => void }) {
  const [first] = names
  if (first === undefined) return null
  return (
    <button type="button" className="link to-fix cut" onClick={() => onFix(first)}>
      {names.length} to fix: {names.join(', ')}
    </button>
  )
}

function Standing({ edited: { typedAs, isStale, stored } }: { edited: Edited }) {
  const words =
    typedAs !== undefined
      ? `edited as ${typedAs}`
      : isStale
        ? `someone else saved version ${formatCount(stored?.version ?? 0)}`
        : ''
  return <span className="mono warn grow">{words}</span>
}
