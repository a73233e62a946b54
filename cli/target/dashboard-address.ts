import { type DashboardPage, dashboardPlaces } from '../../client/protocol/model/dashboard-pages.js'
import type { EmulatorInfo } from './emulator-file.js'

/** Names of the dashboard's pages for `svc open`. */
export const dashboardPages = Object.keys(dashboardPlaces) as DashboardPage[]

/**
 * Returns the URL of a dashboard page, without the control token.
 *
 * @param id the item to open, for example `posts` or `posts/<id>`
 */
export function dashboardPageUrl(
  { dashboardUrl }: Pick<EmulatorInfo, 'dashboardUrl'>,
  page: DashboardPage = 'home',
  id = '',
): string {
  const parts = [dashboardPlaces[page].path, ...id.split('/')].filter((part) => part !== '')
  return `${dashboardUrl.replace(/\/*$/, '')}/${parts.map(encodeURIComponent).join('/')}`
}

/** Adds the control token as a fragment, which browsers never send to a server. The page removes it from its URL. */
export function dashboardAddress(
  emulator: Pick<EmulatorInfo, 'dashboardUrl' | 'controlToken'>,
  page?: DashboardPage,
  id?: string,
): string {
  return `${dashboardPageUrl(emulator, page, id)}#token=${encodeURIComponent(emulator.controlToken)}`
}
