/** Leads between the documents, the schema and the permissions of a collection. */
import { Link } from 'wouter'
import { formatCount } from '../../../client/protocol/model/figures.js'

const tabs = [
  { name: 'documents', title: 'Documents', below: '' },
  { name: 'schema', title: 'Schema', below: '/schema' },
  { name: 'permissions', title: 'Permissions', below: '/permissions' },
] as const

export type CollectionTab = (typeof tabs)[number]['name']

/** Returns the address of a tab below the base of the dashboard. */
export function tabPath(collection: string, tab: CollectionTab): string {
  return `/data/${encodeURIComponent(collection)}${tabs.find(({ name }) => name === tab)?.below}`
}

/** Returns the tab that the part of an address after the collection names. */
export function findTab(below: string | undefined): CollectionTab {
  return tabs.find(({ below: path }) => path === `/${below}`)?.name ?? 'documents'
}

interface CollectionTabsProps {
  readonly collection: string
  readonly open: CollectionTab
  /** Undefined until counted. */
  readonly count?: number | undefined
}

export function CollectionTabs({ collection, open, count }: CollectionTabsProps) {
  return (
    <nav className="seg page-tabs" aria-label="Collection">
      {tabs.map(({ name, title }) => (
        <Link key={name} href={tabPath(collection, name)} aria-current={name === open ? 'page' : undefined}>
          {title}
          {name === 'documents' && count !== undefined ? <em className="mono">{formatCount(count)}</em> : null}
        </Link>
      ))}
    </nav>
  )
}
