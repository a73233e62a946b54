/** Shows the selected document: its form, JSON, links, files and history. */
import { Suspense, useMemo, useRef, useState } from 'react'
import type { Collection, Fields } from '../../../../client/index.js'
import type { Schema } from '../../../../client/protocol/model/collection.js'
import { isObject } from '../../../../client/protocol/model/json.js'
import { useCommand } from '../../../frame/command-line.js'
import { Failure } from '../../../live/failure.js'
import { Copy } from '../../../parts/button.js'
import { shortId } from '../../../parts/columns.js'
import { Icon } from '../../../parts/icons.js'
import { Pane } from '../../../parts/layout.js'
import { Menu } from '../../../parts/menu.js'
import { Gone, isMissing, Skeleton } from '../../../parts/states.js'
import { type Tab, Tabs } from '../../../parts/tabs.js'
import { Time } from '../../../parts/time.js'
import { useKeys } from '../../../parts/use-keys.js'
import { shortcut } from '../../../parts/words.js'
import { lazyPart } from '../../../session/scripts.js'
import { type Checked, checkForm, formatSaving } from '../form/checks.js'
import { FormTab } from '../form/form-tab.js'
import { parsed } from '../form/text-controls.js'
import { formatTitle } from '../form/titles.js'
import { ConflictView } from './conflict-view.js'
import { DocumentFoot, useRemove } from './document-foot.js'
import { FilesTab, filesIn } from './files-tab.js'
import { HistoryTab } from './history-tab.js'
import type { KnownFields } from './json-completion.js'
import { LinkedTab } from './linked-tab.js'
import { type Edited, useDocument } from './use-document.js'
import { useKnownFields } from './use-known-fields.js'

const JsonEditor = lazyPart(() => import('./json-editor.js'))

type Settings = Pick<Collection, 'schema' | 'title'>

interface PaneProps {
  readonly collection: string
  /** Undefined for a new document. */
  readonly id: string | undefined
  /** Schema and title field of the collection. Undefined until loaded. */
  readonly settings: Settings | undefined
  readonly onClose: () => void
  /** Opens a document, with the cursor position if the editor has the focus. */
  readonly onOpen: (id: string, cursor?: number) => void
  /** Returns the cursor position for a document that was just created, so that the user can keep typing. */
  readonly takeCursor: () => number | undefined
}

export function DocumentPane({ collection, id, settings, onClose, onOpen, takeCursor }: PaneProps) {
  const schema = settings?.schema
  const edited = useDocument(collection, id)
  const known = useKnownFields(collection)
  const { stored, error, conflict } = edited
  const [tab, setTab] = useTab(schema)
  const { data, checked } = useChecked(schema, edited, tab)
  const isForm = tab === 'form'
  const wrong = isForm ? checked.wrong : []
  const remove = useRemove(collection, edited, onClose)
  useCommand(formatSaving(collection, id, data ?? {}, checked.changed))
  const cursor = useRef<() => number | undefined>(() => undefined)
  const save = async () => {
    if (wrong.length > 0) return
    const saved = await edited.save()
    if (saved && id === undefined) onOpen(saved.id, cursor.current())
  }
  // The JSON editor has its own shortcut.
  useKeys({ 'mod-s': () => void save() })
  const leave = () => {
    edited.discard()
    onClose()
  }
  const isGone = isMissing(error)
  // Also show unsaved text of a deleted document.
  const hasText = id === undefined || stored !== undefined || (isGone && edited.isChanged)
  return (
    <Pane
      title={
        <bdi>{id === undefined ? `New document in ${collection}` : stored ? formatTitle(stored, settings) : '…'}</bdi>
      }
      facts={
        stored ? (
          <>
            <span title={stored.id}>{shortId(stored.id)}</span> · version {stored.version} ·{' '}
            <Time at={stored.updatedAt} /> · <Copy text={stored.id} label="copy id" />
          </>
        ) : (
          ''
        )
      }
      actions={
        stored && !isGone && edited.isChanged ? (
          <Menu
            label="More for this document"
            trigger={<Icon name="more" />}
            entries={[{ label: 'Delete', run: () => void remove(), isBad: true }]}
          />
        ) : null
      }
      onClose={onClose}
      foot={
        hasText && !isGone && !conflict ? (
          <DocumentFoot {...{ edited, wrong, save, remove }} changed={id === undefined ? [] : checked.changed} />
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
      {(!hasText && !error) || tab === undefined ? <Skeleton /> : null}
      {conflict ? <ConflictView conflict={conflict} edited={edited} /> : null}
      {hasText && !conflict && tab !== undefined ? (
        <Tabs
          value={tab}
          onChange={setTab}
          tabs={[
            {
              name: 'form',
              title: 'Form',
              content: () => <FormTab {...{ collection, edited, data, checked }} schema={schema ?? {}} />,
            },
            ...buildTabs({ collection, id, edited, known, cursor, takeCursor, save: () => void save() }),
          ]}
        />
      ) : null}
    </Pane>
  )
}

/** Opens the form where there is a schema, and JSON elsewhere. Ctrl J and ⌘J change between them. */
function useTab(schema: Schema | undefined): [string | undefined, (tab: string) => void] {
  const [picked, setPicked] = useState<string>()
  // Stays when the schema changes while the document is open.
  const usual = useRef<string>(undefined)
  usual.current ??= schema && (Object.keys(schema).length > 0 ? 'form' : 'json')
  const tab = picked ?? usual.current
  useKeys({ 'mod-j': () => setPicked(tab === 'json' ? 'form' : 'json') })
  return [tab, setPicked]
}

const unchecked: Checked = { changed: [], issues: [], wrong: [] }

/** Parsing longer texts on each key in the JSON editor would slow down typing. */
const maxParsed = 100_000

/** Parses and checks the text. The data are undefined unless the text is a JSON object. */
function useChecked(schema: Schema | undefined, edited: Edited, tab: string | undefined) {
  const { text, base, stored } = edited
  const isRead = tab === 'form' || text.length <= maxParsed
  return useMemo((): { readonly data?: Fields; readonly checked: Checked } => {
    const data = isRead ? parsed(text) : undefined
    if (!isObject(data)) return { checked: unchecked }
    return { data, checked: checkForm(schema ?? {}, data, stored && base) }
  }, [schema, text, base, stored, isRead])
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
      hint: shortcut('J'),
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
