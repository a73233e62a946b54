/** Controls a process with many subscribers. */
import { startContender } from './child.js'

/** @typedef {import('../listeners.js').Open} Open @typedef {import('../listeners.js').Drive} Drive @typedef {import('../listeners.js').Driven} Driven */

export async function startListeners() {
  const listeners = await startContender('listeners.js')
  return {
    open: (/** @type {Open} */ message) => listeners.ask(message),
    drive: (/** @type {Drive} */ message) => /** @type {Promise<Driven>} */ (listeners.ask(message)),
    stop: listeners.stop,
  }
}

/**
 * Describes `count` subscriptions to `posts`.
 *
 * @param {import('./dev.js').Dev} dev @param {'websocket' | 'event stream'} kind @param {number} count @returns {Open}
 */
export function listening({ port, apiKey, headers }, kind, count) {
  return kind === 'websocket'
    ? { open: kind, port, path: '/realtime', count, first: subscription(apiKey), answers: 2 }
    : { open: kind, port, path: '/realtime/sse/posts', count, headers }
}

/** Returns the first messages of a WebSocket, in order. @param {string} token */
function subscription(token) {
  return [JSON.stringify({ type: 'auth', token }), JSON.stringify({ type: 'subscribe', collection: 'posts' })]
}
