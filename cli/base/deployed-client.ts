/** Options of clients for services that serve some requests in other places, by the dialect they are named after. */
import { deployedFetch } from '../../client/deployed/requests.js'
import { collectionSockets } from '../../client/deployed/socket.js'
import type { ClientOptions } from '../../client/index.js'

type Socket = NonNullable<ClientOptions['WebSocket']>

interface Adapter {
  fetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch
  socket(Socket: Socket): Socket
  /** Whether collections can be found by asking for them. */
  readonly listsCollections: boolean
}

const direct: Adapter = { fetch: (fetch) => fetch, socket: (Socket) => Socket, listsCollections: true }
const deployed: Adapter = { fetch: deployedFetch, socket: collectionSockets, listsCollections: false }

const adapters: { readonly [dialect: string]: Adapter } = { d: deployed }

/** @param dialect as text, such as `d, errors=detail` */
export function adapterFor(dialect: string | undefined): Adapter {
  const [name = ''] = (dialect ?? '').split(',', 1)
  return adapters[name.trim()] ?? direct
}
