/** A process full of subscribers, and its commands. */
import { startContender } from './child.js'

/** @typedef {import('../listeners.js').Open} Open @typedef {import('../listeners.js').Drive} Drive @typedef {import('../listeners.js').Driven} Driven */

export async function startListeners() {
  const listeners = await startContender('listeners.js')
  return {
    open: (/** @type {Open} */ message) => listeners.ask(message),
    drive: (/** @type {Drive} */ message) => /** @type {Promise<Driven>} */ (listeners.ask(message)),
    close: () => listeners.ask({ close: true }),
    stop: listeners.stop,
  }
}

/**
 * The first messages of a WebSocket that subscribes to a collection, in order.
 *
 * @param {string} token @param {string} collection @param {Record<string, unknown>} [filters]
 */
export function subscription(token, collection, filters) {
  return [
    JSON.stringify({ type: 'auth', token }),
    JSON.stringify({ type: 'subscribe', collection, ...(filters && { filters }) }),
  ]
}

/**
 * What subscribers of `posts` open, so many of them.
 *
 * @param {import('./dev.js').Dev} dev @param {'websocket' | 'event stream'} kind @param {number} count @returns {Open}
 */
export function listening({ port, apiKey, headers }, kind, count) {
  return kind === 'websocket'
    ? { open: kind, port, path: '/realtime', count, firsts: [subscription(apiKey, 'posts')], answers: 2 }
    : { open: kind, port, path: '/realtime/sse/posts', count, headers }
}
