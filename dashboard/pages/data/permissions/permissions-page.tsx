import { Page } from '../../../parts/layout.js'
import { CollectionTabs } from '../collection-tabs.js'

export function PermissionsPage({ name }: { name: string }) {
  return (
    <Page title={name} tabs={<CollectionTabs collection={name} open="permissions" />}>
      {null}
    </Page>
  )
}
