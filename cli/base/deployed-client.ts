/** Options of clients for services that serve some requests in other places, by the dialect they are named after. */
import { deployedFetch } from '../../client/deployed/requests.js'
import { collectionSockets } from '../../client/deployed/socket.js'
import type { ClientOptions } from '../../client/index.js'
import { readDialectName } from '../../client/protocol/model/dialect-name.js'
import { isOffered } from './offers.js'

type Socket = NonNullable<ClientOptions['WebSocket']>

export interface Adapter {
  fetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch
  socket(Socket: Socket): Socket
  /** Whether the service tells which collections it has, and their settings. */
  readonly listsCollections: boolean
  /** Whether a batch stores documents without fields. */
  readonly storesEmpty: boolean
}

type Differing = Omit<Adapter, 'listsCollections'>

const direct: Differing = {
  fetch: (fetch) => fetch,
  socket: (Socket) => Socket,
  storesEmpty: true,
}
const deployed: Differing = {
  fetch: deployedFetch,
  socket: (Socket) => collectionSockets(() => Socket),
  storesEmpty: false,
}

const adapters: { readonly [dialect: string]: Differing } = { d: deployed }

/** @param dialect as text, such as `d, errors=detail` */
export function adapterFor(dialect: string | undefined): Adapter {
  const differing = adapters[readDialectName(dialect ?? '')] ?? direct
  return { ...differing, listsCollections: isOffered('collection list', dialect) }
}
