/** Options of clients for services that serve some requests in other places, by the dialect they are named after. */
import { deployedFetch } from '../../client/deployed/requests.js'
import { collectionSockets } from '../../client/deployed/socket.js'
import type { ClientOptions } from '../../client/index.js'

type Socket = NonNullable<ClientOptions['WebSocket']>

export interface Adapter {
  fetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch
  socket(Socket: Socket): Socket
  /** Whether the service tells which collections it has, and their settings. */
  readonly listsCollections: boolean
  /** Whether a batch stores documents without fields. */
  readonly storesEmpty: boolean
}

const direct: Adapter = {
  fetch: (fetch) => fetch,
  socket: (Socket) => Socket,
  listsCollections: true,
  storesEmpty: true,
}
const deployed: Adapter = {
  fetch: deployedFetch,
  socket: collectionSockets,
  listsCollections: false,
  storesEmpty: false,
}

const adapters: { readonly [dialect: string]: Adapter } = { d: deployed }

/** @param dialect as text, such as `d, errors=detail` */
export function adapterFor(dialect: string | undefined): Adapter {
  const [name = ''] = (dialect ?? '').split(',', 1)
  return adapters[name.trim()] ?? direct
}
