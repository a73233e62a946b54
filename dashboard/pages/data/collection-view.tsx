/** Shows the documents of a collection: filters, grid, and the selected document. */
import { type ReactNode, useCallback, useState } from 'react'
import { useLocation } from 'wouter'
import type { Collection, CountedCollection } from '../../../client/index.js'
import { counted } from '../../../client/protocol/model/figures.js'
import { formatPath } from '../../../client/protocol/model/path.js'
import { queryText } from '../../../client/protocol/model/requests/query-text.js'
import { shellWord } from '../../../client/snippets/shell.js'
import { useCommand } from '../../frame/command-line.js'
import { Query } from '../../live/query.js'
import { Button } from '../../parts/button.js'
import { DropTarget, Page } from '../../parts/layout.js'
import { Empty, Gone, isMissing, NoMatch, Skeleton } from '../../parts/states.js'
import { useSession } from '../../session/context.js'
import { draftKey, readDraft } from '../../session/drafts.js'
import { CollectionActions } from './collection-actions.js'
import { CollectionTabs } from './collection-tabs.js'
import { DocumentPane } from './document/document-pane.js'
import { Filters } from './filters.js'
import { BulkPane } from './grid/bulk-pane.js'
import { DocumentGrid } from './grid/document-grid.js'
import { type GridLayout, useLayout } from './grid/layout.js'
import { PickedBar } from './grid/picked-bar.js'
import { type Picked, usePicked } from './grid/use-picked.js'
import { ImportDialog } from './import-dialog.js'
import { type QueryState, useQueryState } from './query-state.js'
import { useCollection } from './settings-page.js'
import { type Documents, useDocuments } from './use-documents.js'

interface ViewProps {
  readonly name: string
  /** The open document, `new` for one that is not saved yet, or undefined. */
  readonly id: string | undefined
}

export function CollectionView({ name, id }: ViewProps) {
  const session = useSession()
  const [, go] = useLocation()
  const collection = useCollection(name)
  if (!collection.error || collection.data) {
    return <DocumentsPage name={name} id={id} collection={collection.data} isGone={isMissing(collection.error)} />
  }
  // Keep the pane, so that the user can copy or discard unsaved text.
  const hasDraft = readDraft(draftKey(session, name, toDocument(id))) !== undefined
  return (
    <Page title={name} pane={hasDraft ? <OpenDocument name={name} id={id} settings={noSettings} /> : undefined}>
      <Query query={collection} gone={{ what: 'collection', back: 'All collections', onBack: () => go('/data') }} />
    </Page>
  )
}

interface PageProps extends ViewProps {
  /** Undefined until loaded. */
  readonly collection: CountedCollection | undefined
  readonly isGone: boolean
}

function DocumentsPage({ name, id, collection, isGone }: PageProps) {
  const [, go] = useLocation()
  const query = useQueryState()
  const documents = useDocuments(name, query)
  const settings = collection ?? noSettings
  const layout = useLayout(name, settings, documents.columns)
  const picked = usePicked(documents.listLoaded)
  const [isBulk, setBulk] = useState(false)
  const endBulk = useCallback(() => setBulk(false), [])
  const several = isBulk && picked.ids.size > 0 ? [...picked.documents.values()] : undefined
  const isPaneOpen = several !== undefined || id !== undefined
  useCommand(isPaneOpen ? undefined : formatCommand(name, query))
  const place = `/data/${encodeURIComponent(name)}`
  const search = query.text === '' ? '' : `?${query.text}`
  const openNew = () => go(`${place}/new${search}`)
  const editPicked = () => {
    // An open document would be in the way.
    if (id !== undefined) go(place + search)
    setBulk(true)
  }
  // Keep the pane and the dialogs of a collection that is gone, because they may contain unsaved text.
  return (
    <Page
      title={name}
      tabs={isGone ? null : <CollectionTabs collection={name} open="documents" count={collection?.documentCount} />}
      facts={isGone ? '' : describeCount(documents, query)}
      actions={
        <>
          <CollectionActions name={name} collection={collection} query={query} total={documents.total} />
          {isGone ? null : (
            <Button look="main" data-key="new" onClick={openNew}>
              New document{' '}
              <span aria-hidden="true">
                <kbd>N</kbd>
              </span>
            </Button>
          )}
        </>
      }
      strip={isGone ? undefined : <Filters name={name} query={query} columns={documents.columns} layout={layout} />}
      pane={
        several ? (
          <BulkPane collection={name} schema={settings.schema} documents={several} onClose={endBulk} />
        ) : (
          <OpenDocument name={name} id={id} settings={collection} />
        )
      }
    >
      {isGone ? (
        <Gone what="collection" wasShown back="All collections" onBack={() => go('/data')} />
      ) : (
        <ImportTarget name={name}>
          <List {...{ name, id, query, documents, settings, picked, openNew, layout }} />
          {picked.ids.size > 0 ? <PickedBar {...{ name, query, picked, isPaneOpen }} onEdit={editPicked} /> : null}
        </ImportTarget>
      )}
    </Page>
  )
}

/** Returns the id of a stored document. */
function toDocument(id: string | undefined): string | undefined {
  return id === 'new' ? undefined : id
}

interface OpenProps extends ViewProps {
  readonly settings: Pick<Collection, 'schema' | 'title'> | undefined
}

/** Keeps the place of the cursor for a document that was just created, so that the user can keep typing. */
let cursor: number | undefined

function OpenDocument({ name, id, settings }: OpenProps) {
  const { acting } = useSession()
  const [, go] = useLocation()
  const { text } = useQueryState()
  const place = `/data/${encodeURIComponent(name)}`
  const search = text === '' ? '' : `?${text}`
  const close = useCallback(() => go(place + search), [go, place, search])
  const open = (next: string, at?: number) => {
    cursor = at
    go(`${place}/${next}${search}`)
  }
  const takeCursor = () => {
    const at = cursor
    cursor = undefined
    return at
  }
  if (id === undefined) return null
  return (
    <DocumentPane
      // The key resets the editor when the user changes, so it never shows text of another user.
      key={`${id} ${acting?.user.id}`}
      {...{ collection: name, id: toDocument(id), settings, onClose: close, onOpen: open, takeCursor }}
    />
  )
}

/** Opens the import dialog for a dropped file. */
function ImportTarget({ name, children }: { name: string; children: ReactNode }) {
  const [file, setFile] = useState<File>()
  return (
    <>
      <DropTarget onFiles={([dropped]) => setFile(dropped)}>{children}</DropTarget>
      {file ? <ImportDialog name={name} file={file} onClose={() => setFile(undefined)} /> : null}
    </>
  )
}

/** Stands for a collection that is gone, whose documents may have unsaved text. */
const noSettings: Pick<Collection, 'schema' | 'title'> = { schema: {} }

interface ListProps {
  readonly name: string
  readonly id: string | undefined
  readonly query: QueryState
  readonly documents: Documents
  readonly settings: typeof noSettings
  readonly layout: GridLayout
  readonly picked: Picked
  readonly openNew: () => void
}

function List({ name, id, query, documents, settings, layout, picked, openNew }: ListProps) {
  const { total = 0 } = documents
  const isFiltered = query.where.all.length > 0
  const nothing = isFiltered ? (
    <NoMatch what="document" onAll={() => query.change({ where: { all: [] } })} />
  ) : (
    <Empty title="No documents yet" command={`svc docs create ${shellWord(name)} title=Hello`}>
      <p>Create one, drop a file here, or let your app write the first one.</p>
      <Button look="main" onClick={openNew}>
        New document
      </Button>
    </Empty>
  )
  return (
    <Query query={documents} loading={<Skeleton rows={14} />}>
      {() =>
        total === 0 ? (
          nothing
        ) : (
          <DocumentGrid {...{ name, id, query, documents, layout, picked }} schema={settings.schema} />
        )
      }
    </Query>
  )
}

function describeCount({ total, error }: Documents, { where }: QueryState): string {
  if (total === undefined) return error ? 'documents: not loaded' : '…'
  const words = counted(total, 'document')
  return where.all.length === 0 ? words : `${words} match`
}

/** Formats the filters as a command. Uses `icontains`, because `contains` of the command is case-sensitive. */
function formatCommand(name: string, { text, sort, populate }: QueryState): string {
  const parts = text.split('&').filter((part) => part !== '' && !/^(orderBy|order|populate)=/.test(part))
  const wheres = parts.map((part) => {
    const words = queryText(part).replace(/__contains=/, '__icontains=')
    const [, group = '', test = words] = /^\[or:?([^\]]*)\](.*)$/s.exec(words) ?? []
    return test === words
      ? `--where ${shellWord(words)}`
      : `--or ${shellWord(`${group === '' ? '' : `${group}:`}${test}`)}`
  })
  const fields = sort.map(({ path, direction }) => (direction === 'desc' ? '-' : '') + formatPath(path))
  const order = fields.length > 0 ? [`--sort ${shellWord(fields.join(','))}`] : []
  const links = populate.length > 0 ? [`--populate ${shellWord(populate.join(','))}`] : []
  return ['svc docs list', shellWord(name), ...wheres, ...order, ...links].join(' ')
}
