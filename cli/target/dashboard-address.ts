import type { EmulatorInfo } from './emulator-file.js'

/** The pages of the dashboard, as `svc open` names them. */
export const dashboardPages = [
  'home',
  'data',
  'relations',
  'console',
  'files',
  'snapshots',
  'users',
  'provider',
  'mail',
  'requests',
  'realtime',
  'simulate',
  'api',
  'settings',
] as const

/** Where a page stands when its name is not its path. Below `/_svc/api` is the control API. */
const paths: { readonly [page: string]: string } = { home: '', api: 'api-reference' }

/**
 * The URL of a page of the dashboard, without the control token.
 *
 * @param id what is opened on it, such as `posts` or `posts/<id>` of data
 */
export function dashboardPlace({ dashboardUrl }: Pick<EmulatorInfo, 'dashboardUrl'>, page = 'home', id = ''): string {
  const parts = [paths[page] ?? page, ...id.split('/')].filter((part) => part !== '')
  return `${dashboardUrl.replace(/\/*$/, '')}/${parts.map(encodeURIComponent).join('/')}`
}

/** The same with the control token in its fragment, which browsers send to no server; the page removes it from its URL. */
export function dashboardAddress(
  emulator: Pick<EmulatorInfo, 'dashboardUrl' | 'controlToken'>,
  page?: string,
  id?: string,
): string {
  return `${dashboardPlace(emulator, page, id)}#token=${encodeURIComponent(emulator.controlToken)}`
}
