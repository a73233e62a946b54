import { useParams } from 'wouter'
import { findTab } from './collection-tabs.js'
import { CollectionView } from './collection-view.js'
import { CollectionsList } from './collections-list.js'
import { PermissionsPage } from './permissions/permissions-page.js'
import { SchemaPage } from './schema/schema-page.js'

/** Shows all collections, or a tab of one: its documents, schema or permissions. */
export function DataPage() {
  const { collection, id } = useParams<{ collection?: string; id?: string }>()
  if (collection === undefined) return <CollectionsList />
  const tab = findTab(id)
  if (tab === 'schema') return <SchemaPage key={collection} name={collection} />
  if (tab === 'permissions') return <PermissionsPage key={collection} name={collection} />
  return <CollectionView key={collection} name={collection} id={id} />
}
