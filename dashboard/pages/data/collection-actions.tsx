/** Actions for a collection, or for all documents that match its filters. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Collection } from '../../../client/index.js'
import { formatCount } from '../../../client/protocol/model/figures.js'
import { Icon } from '../../parts/icons.js'
import { Menu } from '../../parts/menu.js'
import { BulkDelete, BulkEdit } from './bulk-dialogs.js'
import { DeleteCollection, RenameCollection } from './collection-dialogs.js'
import { ExportDialog } from './export-dialog.js'
import { ImportDialog } from './import-dialog.js'
import type { QueryState } from './query-state.js'

type Opened = 'import' | 'export' | 'rename' | 'remove' | 'bulk edit' | 'bulk delete'

interface ActionsProps {
  readonly name: string
  readonly collection: Collection | undefined
  readonly query: QueryState
  /** Number of matching documents. If unknown, bulk actions are not offered. */
  readonly total: number | undefined
}

export function CollectionActions({ name, collection, query, total }: ActionsProps) {
  const [, go] = useLocation()
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const isCounted = total !== undefined
  const count = formatCount(total ?? 0)
  const which = query.where.all.length === 0 ? `all ${count}` : `the ${count} that match`
  const collectionProps = collection && {
    collection,
    onClose: close,
    onDone: (next: string | undefined) => go(next === undefined ? '/data' : `/data/${encodeURIComponent(next)}`),
  }
  const bulkProps = isCounted && { name, query, total, onClose: close }
  return (
    <>
      <button type="button" className="button plain wide-only" onClick={() => setOpened('import')}>
        Import
      </button>
      {isCounted ? (
        <button type="button" className="button plain wide-only" onClick={() => setOpened('export')}>
          Export
        </button>
      ) : null}
      <Menu
        label={`More for ${name}`}
        trigger={<Icon name="more" />}
        entries={[
          { label: 'Rename', run: () => setOpened('rename') },
          { label: 'Import', run: () => setOpened('import') },
          ...(isCounted
            ? [
                { label: 'Export', run: () => setOpened('export') },
                { label: `Edit ${which}`, run: () => setOpened('bulk edit') },
                { label: `Delete ${which}`, run: () => setOpened('bulk delete'), isBad: true },
              ]
            : []),
          { label: 'Delete collection', run: () => setOpened('remove'), isBad: true },
        ]}
      />
      {opened === 'import' ? <ImportDialog name={name} onClose={close} /> : null}
      {bulkProps && opened === 'export' ? <ExportDialog {...bulkProps} /> : null}
      {bulkProps && opened === 'bulk edit' ? <BulkEdit {...bulkProps} /> : null}
      {bulkProps && opened === 'bulk delete' ? <BulkDelete {...bulkProps} /> : null}
      {collectionProps && opened === 'rename' ? <RenameCollection {...collectionProps} /> : null}
      {collectionProps && opened === 'remove' ? <DeleteCollection {...collectionProps} /> : null}
    </>
  )
}
