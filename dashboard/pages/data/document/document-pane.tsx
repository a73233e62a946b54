/** Shows the selected document: JSON, fields, links, files and history. */
import { Suspense, useEffect, useRef, useState } from 'react'
import { formatCount } from '../../../../client/protocol/model/figures.js'
import { useUndo } from '../../../frame/undo.js'
import { Failure } from '../../../live/failure.js'
import { Button, Copy } from '../../../parts/button.js'
import { formatName } from '../../../parts/columns.js'
import { Pane } from '../../../parts/layout.js'
import { describeError, Gone, isMissing, Skeleton } from '../../../parts/states.js'
import { type Tab, Tabs } from '../../../parts/tabs.js'
import { Time } from '../../../parts/time.js'
import { shortcut } from '../../../parts/words.js'
import { useSession } from '../../../session/context.js'
import { lazyPart } from '../../../session/scripts.js'
import { ConflictView } from './conflict-view.js'
import { FieldsTab } from './fields-tab.js'
import { FilesTab, filesIn } from './files-tab.js'
import { HistoryTab } from './history-tab.js'
import type { KnownFields } from './json-completion.js'
import { LinkedTab } from './linked-tab.js'
import { type Edited, useDocument } from './use-document.js'
import { useKnownFields } from './use-known-fields.js'

const JsonEditor = lazyPart(() => import('./json-editor.js'))

interface PaneProps {
  readonly collection: string
  /** Undefined for a new document. */
  readonly id: string | undefined
  readonly onClose: () => void
  /** Opens a document, with the cursor position if the editor has the focus. */
  readonly onOpen: (id: string, cursor?: number) => void
  /** Returns the cursor position for a document that was just created, so that the user can keep typing. */
  readonly takeCursor: () => number | undefined
}

export function DocumentPane({ collection, id, onClose, onOpen, takeCursor }: PaneProps) {
  const edited = useDocument(collection, id)
  const known = useKnownFields(collection)
  const [tab, setTab] = useState('json')
  const { stored, error, conflict } = edited
  const cursor = useRef<() => number | undefined>(() => undefined)
  const save = async () => {
    const saved = await edited.save()
    if (saved && id === undefined) onOpen(saved.id, cursor.current())
  }
  useSaveKey(save)
  const leave = () => {
    edited.discard()
    onClose()
  }
  const isGone = isMissing(error)
  // Also show unsaved text of a deleted document.
  const hasText = id === undefined || stored !== undefined || (isGone && edited.isChanged)
  return (
    <Pane
      title={<bdi>{id === undefined ? `New document in ${collection}` : stored ? formatName(stored) : '…'}</bdi>}
      facts={
        stored ? (
          <>
            {stored.id} · version {stored.version} · <Time at={stored.updatedAt} /> ·{' '}
            <Copy text={stored.id} label="copy id" />
          </>
        ) : (
          ''
        )
      }
      onClose={onClose}
      foot={
        hasText && !isGone && !conflict ? (
          <Foot collection={collection} edited={edited} save={save} onClose={onClose} />
        ) : null
      }
    >
      {error && !stored && !isGone ? <Failure error={error} /> : null}
      {isGone ? (
        <Gone what="document" wasShown={hasText} back={`All documents in ${collection}`} onBack={onClose}>
          {hasText ? (
            <button
              type="button"
              className="link"
              onClick={() => void edited.createAgain().then((made) => made && onOpen(made.id))}
            >
              Create it again from this text
            </button>
          ) : null}
          {edited.isChanged ? (
            <button type="button" className="link" onClick={leave}>
              Discard
            </button>
          ) : null}
        </Gone>
      ) : null}
      {isGone && !conflict && edited.failure && !isMissing(edited.failure) ? <Failure error={edited.failure} /> : null}
      {!hasText && !error ? <Skeleton /> : null}
      {conflict ? <ConflictView conflict={conflict} edited={edited} /> : null}
      {hasText && !conflict ? (
        <Tabs
          value={tab}
          onChange={setTab}
          tabs={buildTabs({ collection, id, edited, known, cursor, takeCursor, save: () => void save() })}
        />
      ) : null}
    </Pane>
  )
}

/** Saves on Ctrl S or ⌘S anywhere in the pane. The JSON editor has its own shortcut. */
function useSaveKey(save: () => Promise<void>) {
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isElsewhere = (event.target as Element).closest('.cm-editor, .dialog')
      if (event.key.toLowerCase() !== 's' || !(event.metaKey || event.ctrlKey) || isElsewhere) return
      event.preventDefault()
      void latest.current()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

interface TabInput {
  readonly collection: string
  readonly id: string | undefined
  readonly edited: Edited
  readonly known: KnownFields
  readonly cursor: { current: () => number | undefined }
  readonly takeCursor: () => number | undefined
  readonly save: () => void
}

function buildTabs({ collection, id, edited, known, cursor, takeCursor, save }: TabInput): Tab[] {
  const { stored, text, edit, issues, typedAs } = edited
  // Start a new document between the braces.
  const startAt = id === undefined ? () => Math.max(0, text.lastIndexOf('\n')) : takeCursor
  const editing: Tab[] = [
    {
      name: 'json',
      title: 'JSON',
      content: () => (
        <Suspense fallback={<Skeleton />}>
          <JsonEditor
            // Clears the undo history when text of another user is discarded.
            key={typedAs ?? ''}
            {...{ issues, known, startAt, cursor, value: text, onChange: edit, onSave: save }}
          />
        </Suspense>
      ),
    },
    { name: 'fields', title: 'Fields', content: () => <FieldsTab text={text} edit={edit} issues={issues} /> },
  ]
  if (id === undefined || !stored) return editing
  const files = filesIn(stored.data)
  return [
    ...editing,
    { name: 'linked', title: 'Linked', content: () => <LinkedTab collection={collection} document={stored} /> },
    { name: 'files', title: 'Files', count: files.length, content: () => <FilesTab files={files} /> },
    {
      name: 'history',
      title: 'History',
      content: () => (
        <HistoryTab
          {...{ collection, id }}
          onRestore={(data) => edit(JSON.stringify(data, undefined, 2))}
          newest={stored.version}
        />
      ),
    },
  ]
}

interface FootProps {
  readonly collection: string
  readonly edited: Edited
  readonly save: () => Promise<void>
  readonly onClose: () => void
}

function Foot({ collection, edited, save, onClose }: FootProps) {
  const { client } = useSession()
  const { doUndoably, notify } = useUndo()
  const { stored, isChanged, isStale, typedAs, isSaving, failure, discard } = edited
  async function remove() {
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
  return (
    <>
      {failure ? (
        <div className="foot-failure">
          <Failure error={failure} />
        </div>
      ) : null}
      <span className={`mono grow ${isStale || typedAs !== undefined ? 'warn' : 'dim'}`}>
        {typedAs !== undefined
          ? `edited as ${typedAs}`
          : isStale
            ? `someone else saved version ${formatCount(stored?.version ?? 0)}`
            : stored
              ? `If-Match ${stored.version}`
              : ''}
      </span>
      {stored ? <Button onClick={() => void remove()}>Delete</Button> : null}
      {isChanged ? <Button onClick={discard}>Discard</Button> : null}
      <Button look="main" disabled={isSaving || (stored !== undefined && !isChanged)} onClick={() => void save()}>
        {stored ? 'Save' : 'Create'} <kbd>{shortcut('S')}</kbd>
      </Button>
    </>
  )
}
