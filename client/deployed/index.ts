/** Lets a client use the hosted service as it is deployed, which speaks dialect `d`. Other apps do not load it. */
import type { ClientOptions } from '../index.js'
import { SvcError } from '../protocol/model/errors.js'
import { resolveFetch } from '../send.js'
import { deployedFetch } from './requests.js'
import { collectionSockets } from './socket.js'

/**
 * Returns the options of a client for the deployed service. Without them, a client in dialect `d` reads and writes
 * documents, but cannot subscribe, upload files, verify an email address or reset a password, because the deployed
 * service has these at other paths. The emulator serves the same paths.
 *
 * Sets `dialect` to `d` unless you set it. After a lost connection, subscriptions report a resync, because the service
 * cannot resume. In an environment without `WebSocket`, such as Node 20, pass one; otherwise a subscription ends with
 * `INVALID_OPTION`.
 *
 * @example
 * import { forDeployedService } from 'svc-toolkit-client/deployed'
 *
 * const svc = createClient(forDeployedService({ url, apiKey }))
 */
export function forDeployedService(options: ClientOptions): ClientOptions {
  return {
    dialect: 'd',
    ...options,
    fetch: deployedFetch(resolveFetch(options)),
    WebSocket: collectionSockets(() => {
      const Socket = options.WebSocket ?? globalThis.WebSocket
      if (Socket) return Socket
      throw new SvcError('INVALID_OPTION', 'WebSocket is not available. Pass one as "WebSocket".')
    }),
  }
}
