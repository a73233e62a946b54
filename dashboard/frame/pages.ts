import { type ComponentType, createContext, useContext } from 'react'
import type { StaleQueries } from '../live/context.js'
import type { IconName } from '../parts/icons.js'

/** Describes a page: its route, its navigation entry, and the events that invalidate its queries. */
export interface PageRecord {
  readonly component: ComponentType
  readonly path: `/${string}`
  /** Route pattern for what may follow the path. */
  readonly below?: `/${string}`
  readonly title: string
  readonly icon: IconName
  readonly group: '' | 'Store' | 'People' | 'Traffic' | 'Project'
  /** Count that the navigation shows. */
  readonly count?: 'collections' | 'users' | 'files' | 'mail' | 'requests' | 'connections' | 'faults'
  readonly stale?: StaleQueries
}

const Context = createContext<readonly PageRecord[]>([])

export const PagesProvider = Context

/** Returns the pages in navigation order. */
export function usePageRecords(): readonly PageRecord[] {
  return useContext(Context)
}
