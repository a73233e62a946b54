/** Shows the documents of a collection: filters, grid, and the selected document. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { Document } from '../../../client/index.js'
import { formatCount } from '../../../client/protocol/model/figures.js'
import { formatPath } from '../../../client/protocol/model/path.js'
import { shellWord } from '../../../client/snippets/shell.js'
import { useCommand } from '../../frame/command-line.js'
import { useFlashes } from '../../live/context.js'
import { Query } from '../../live/query.js'
import { Button } from '../../parts/button.js'
import { chooseWidth, type DataColumn, type Linked, shortId, Value } from '../../parts/columns.js'
import { type Column, Grid } from '../../parts/grid.js'
import { DropTarget, Page } from '../../parts/layout.js'
import { Empty, Gone, isMissing, NoMatch, Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { useSession } from '../../session/context.js'
import { draftKey, readDraft } from '../../session/drafts.js'
import { CollectionActions } from './collection-actions.js'
import { describePermissions, describeSchema } from './collections-list.js'
import { DocumentPane } from './document/document-pane.js'
import { Filters } from './filters.js'
import { ImportDialog } from './import-dialog.js'
import { type QueryState, useQueryState } from './query-state.js'
import { type Documents, useDocuments } from './use-documents.js'

export function CollectionView({ name, id }: { name: string; id: string | undefined }) {
  const session = useSession()
  const { owner, acting } = session
  const [, go] = useLocation()
  const query = useQueryState()
  const documents = useDocuments(name, query)
  const collection = useQuery({ queryKey: ['collections', 'one', name], queryFn: () => owner.collections.get(name) })
  useCommand(formatCommand(name, query))
  const place = `/data/${encodeURIComponent(name)}`
  const search = query.text === '' ? '' : `?${query.text}`
  const close = useCallback(() => go(place + search), [go, place, search])
  const openNew = () => go(`${place}/new${search}`)
  const cursor = useRef<number>(undefined)
  const open = (next: string, at?: number) => {
    cursor.current = at
    go(`${place}/${next}${search}`)
  }
  const takeCursor = () => {
    const at = cursor.current
    cursor.current = undefined
    return at
  }
  const document = id === 'new' ? undefined : id
  // The key resets the editor when the user changes, so it never shows text of another user.
  const pane =
    id === undefined ? undefined : (
      <DocumentPane
        key={`${id} ${acting?.user.id}`}
        {...{ collection: name, id: document, onClose: close, onOpen: open, takeCursor }}
      />
    )
  if (collection.error && !collection.data) {
    // Keep the pane, so that the user can copy or discard unsaved text.
    const hasDraft = readDraft(draftKey(session, name, document)) !== undefined
    return (
      <Page title={name} pane={hasDraft ? pane : undefined}>
        <Query query={collection} gone={{ what: 'collection', back: 'All collections', onBack: () => go('/data') }} />
      </Page>
    )
  }
  // Keep the pane and the dialogs, because they may contain unsaved text.
  const isGone = isMissing(collection.error)
  return (
    <Page
      title={name}
      facts={
        isGone ? (
          ''
        ) : (
          <>
            {describeCount(documents, query)}
            {collection.data ? (
              <>
                {' '}
                · schema: {describeSchema(collection.data.schema ?? {})} ·{' '}
                {describePermissions(collection.data.permissions)}
              </>
            ) : null}
          </>
        )
      }
      actions={
        <>
          <CollectionActions name={name} collection={collection.data} query={query} total={documents.total} />
          {isGone ? null : (
            <Button look="main" data-key="new" onClick={openNew}>
              New document
            </Button>
          )}
        </>
      }
      strip={isGone ? undefined : <Filters name={name} query={query} columns={documents.columns} />}
      pane={pane}
    >
      {isGone ? (
        <Gone what="collection" wasShown back="All collections" onBack={() => go('/data')} />
      ) : (
        <ImportTarget name={name}>
          <List name={name} id={id} query={query} documents={documents} openNew={openNew} />
        </ImportTarget>
      )}
    </Page>
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

interface ListProps {
  readonly name: string
  readonly id: string | undefined
  readonly query: QueryState
  readonly documents: Documents
  readonly openNew: () => void
}

function List({ name, id, query, documents, openNew }: ListProps) {
  const [, go] = useLocation()
  const fresh = useFlashes(name)
  const search = query.text === '' ? '' : `?${query.text}`
  const openLink = useCallback(
    ({ collection, id: target, email }: Linked) => {
      if (email !== undefined) go(`/users/${target}`)
      else if (collection !== undefined) go(`/data/${encodeURIComponent(collection)}/${target}`)
    },
    [go],
  )
  const open = useCallback(
    ({ id: opened }: Document) => go(`/data/${encodeURIComponent(name)}/${opened}${search}`),
    [go, name, search],
  )
  const columns = useMemo(() => gridColumns(documents.columns, query, openLink), [documents.columns, query, openLink])
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
          <Grid
            label={`Documents in ${name}`}
            columns={columns}
            count={total}
            rowAt={documents.at}
            getId={(document) => document.id}
            selected={id}
            fresh={fresh}
            onOpen={open}
            onRange={documents.setRange}
          />
        )
      }
    </Query>
  )
}

function gridColumns(
  columns: readonly DataColumn[],
  query: QueryState,
  openLink: (linked: Linked) => void,
): Column<Document>[] {
  const own = (field: string, title: string) => <SortHead query={query} field={field} title={title} />
  return [
    {
      name: ' id',
      head: own('id', 'id'),
      width: '96px',
      cell: ({ id }) => <span className="mono dim">{shortId(id)}</span>,
    },
    ...columns.map((column): Column<Document> => {
      const { name, type } = column
      return {
        name,
        head: <SortHead query={query} field={name} title={name} type={type} />,
        width: chooseWidth(column),
        isNumber: type === 'number',
        cell: ({ data }) => <Value value={Object.hasOwn(data, name) ? data[name] : undefined} onLink={openLink} />,
      }
    }),
    {
      name: ' created',
      head: own('createdAt', 'created'),
      width: '110px',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}

/** Cycles through ascending, descending and unsorted. */
function SortHead({ query, field, title, type }: { query: QueryState; field: string; title: string; type?: string }) {
  const [sort] = query.sort
  const direction = sort && formatPath(sort.path) === field ? sort.direction : undefined
  const next = direction === undefined ? 'asc' : direction === 'asc' ? 'desc' : undefined
  const path: [string] = [field]
  return (
    <button
      type="button"
      className="sort"
      onClick={() => query.change({ sort: next ? [{ path, direction: next }] : [] })}
      title={`Sort by ${title}`}
    >
      {title}
      {direction === undefined ? null : <span aria-hidden="true">{direction === 'asc' ? ' ↑' : ' ↓'}</span>}
      {type === undefined ? null : <em>{type}</em>}
    </button>
  )
}

function describeCount({ total, error }: Documents, { where }: QueryState): string {
  if (total === undefined) return error ? 'documents: not loaded' : '…'
  const words = `${formatCount(total)} ${total === 1 ? 'document' : 'documents'}`
  return where.all.length === 0 ? words : `${words} match`
}

/** Formats the filters as a command. Uses `icontains`, because `contains` of the command is case-sensitive. */
function formatCommand(name: string, { text, sort, populate }: QueryState): string {
  const parts = text.split('&').filter((part) => part !== '' && !/^(orderBy|order|populate)=/.test(part))
  const wheres = parts.map((part) => {
    const words = decodeURIComponent(part.replaceAll('+', ' ')).replace(/__contains=/, '__icontains=')
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
