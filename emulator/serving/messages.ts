/** What the processes of `svc serve --workers` say to one another. */
import type { ServeConfig } from './config.js'

export type ToWorker =
  | { readonly kind: 'start'; readonly config: ServeConfig }
  | { readonly kind: 'drain' }
  /** Whether its event loop goes on. */
  | { readonly kind: 'ping' }
  /** Of all workers; without a text, one of them has not answered. */
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string | undefined }

export type FromWorker =
  | { readonly kind: 'up' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'ready'; readonly url: string; readonly adminUrl: string | undefined }
  | { readonly kind: 'metrics'; readonly id: number }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly hint: string }

/** prom-client and others send messages of their own. */
export function isOurs<Message extends { kind: string }>(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'kind' in message && typeof message.kind === 'string'
}
