/** What the processes of `svc serve --workers` say to one another. */
import type { ServeConfig } from './config.js'

export type ToWorker =
  /** With `isReplacement`, another one has been ready with the same configuration. */
  | { readonly kind: 'start'; readonly config: ServeConfig; readonly isReplacement: boolean }
  | { readonly kind: 'drain' }
  /** Whether its event loop goes on. */
  | { readonly kind: 'ping' }
  /** Asks for what it counts. */
  | { readonly kind: 'figures'; readonly id: number }
  /** Of all workers; without a text, none of them has answered. */
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string | undefined }

export type FromWorker =
  | { readonly kind: 'up' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'ready'; readonly url: string; readonly adminUrl: string | undefined }
  | { readonly kind: 'metrics'; readonly id: number }
  /** What it counts, as prom-client adds it up. */
  | { readonly kind: 'figures'; readonly id: number; readonly figures: readonly object[] }
  | {
      readonly kind: 'failed'
      readonly code: string
      readonly message: string
      readonly hint: string
      readonly port: number | undefined
    }

/** prom-client and others send messages of their own. */
export function isOurs<Message extends { kind: string }>(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'kind' in message && typeof message.kind === 'string'
}
