import { type DashboardPage, dashboardPaths } from '../../client/protocol/model/dashboard-pages.js'
import type { EmulatorInfo } from './emulator-file.js'

/** The pages of the dashboard, as `svc open` names them. */
export const dashboardPages = Object.keys(dashboardPaths) as DashboardPage[]

/**
 * The URL of a page of the dashboard, without the control token.
 *
 * @param id what is opened on it, such as `posts` or `posts/<id>` of data
 */
export function dashboardPlace(
  { dashboardUrl }: Pick<EmulatorInfo, 'dashboardUrl'>,
  page: DashboardPage = 'home',
  id = '',
): string {
  const parts = [dashboardPaths[page], ...id.split('/')].filter((part) => part !== '')
  return `${dashboardUrl.replace(/\/*$/, '')}/${parts.map(encodeURIComponent).join('/')}`
}

/** The same with the control token in its fragment, which browsers send to no server; the page removes it from its URL. */
export function dashboardAddress(
  emulator: Pick<EmulatorInfo, 'dashboardUrl' | 'controlToken'>,
  page?: DashboardPage,
  id?: string,
): string {
  return `${dashboardPlace(emulator, page, id)}#token=${encodeURIComponent(emulator.controlToken)}`
}
