/** SQL over the collections, and calls of the client, to be tried out. */
import { useLocation, useRoute } from 'wouter'
import { Page } from '../../parts/layout.js'
import { Tabs } from '../../parts/tabs.js'
import { ClientTab } from './client-tab.js'
import { SqlTab } from './sql-tab.js'

export function ConsolePage() {
  const [, params] = useRoute('/console/:tab?')
  const [, go] = useLocation()
  const tab = params?.tab === 'client' ? 'client' : 'sql'
  return (
    <Page title="Console" facts={facts[tab]}>
      <Tabs
        value={tab}
        onChange={(name) => go(name === 'sql' ? '/console' : `/console/${name}`)}
        tabs={[
          { name: 'sql', title: 'SQL', content: () => <SqlTab /> },
          { name: 'client', title: 'Client', content: () => <ClientTab /> },
        ]}
      />
    </Page>
  )
}

const facts = {
  sql: 'One SELECT over the collections and users. It changes nothing.',
  client: 'One call of the client, as your app would make it. Writes are real.',
}
