/** Loads a collection for a tab that edits its settings. */
import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { useLocation } from 'wouter'
import type { CountedCollection } from '../../../client/index.js'
import { Query } from '../../live/query.js'
import { Page } from '../../parts/layout.js'
import { useSession } from '../../session/context.js'
import { type CollectionTab, CollectionTabs } from './collection-tabs.js'

interface SettingsPageProps {
  readonly name: string
  readonly open: CollectionTab
  readonly editor: ComponentType<{ readonly collection: CountedCollection }>
}

export function SettingsPage({ name, open, editor: Editor }: SettingsPageProps) {
  const [, go] = useLocation()
  const collection = useCollection(name)
  if (collection.data) return <Editor key={collection.data.id} collection={collection.data} />
  return (
    <Page title={name} tabs={<CollectionTabs collection={name} open={open} />}>
      <Query query={collection} gone={{ what: 'collection', back: 'All collections', onBack: () => go('/data') }} />
    </Page>
  )
}

export function useCollection(name: string) {
  const { owner } = useSession()
  return useQuery({ queryKey: ['collections', 'one', name], queryFn: () => owner.collections.get(name) })
}
