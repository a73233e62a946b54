import { useParams } from 'wouter'
import { CollectionView } from './collection-view.js'
import { CollectionsList } from './collections-list.js'

/** Shows all collections, or the documents of one. */
export function DataPage() {
  const { collection, id } = useParams<{ collection?: string; id?: string }>()
  if (collection === undefined) return <CollectionsList />
  return <CollectionView key={collection} name={collection} id={id} />
}
