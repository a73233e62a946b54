import { type ComponentType, createContext, useContext } from 'react'
import type { StaleQueries } from '../live/context.js'
import type { IconName } from '../parts/icons.js'

/** Everything that the dashboard knows of a page: its route, its entry in the navigation, and the events that make it stale. */
export interface PageRecord {
  readonly component: ComponentType
  readonly path: `/${string}`
  /** What may follow the path, as a pattern of routes. */
  readonly below?: `/${string}`
  readonly title: string
  readonly icon: IconName
  readonly group: '' | 'Store' | 'People' | 'Traffic' | 'Project'
  /** What its lists count, by name. */
  readonly count?: 'collections' | 'users' | 'files' | 'mail' | 'requests' | 'connections' | 'faults'
  readonly stale?: StaleQueries
}

const Context = createContext<readonly PageRecord[]>([])

export const PagesProvider = Context

/** The pages in the order of the navigation. */
export function usePageRecords(): readonly PageRecord[] {
  return useContext(Context)
}
