/** Goes into a service by `--import`, and tells the process that started it how long the turns of its event loop were. */
import { isMainThread } from 'node:worker_threads'

const every = 5

if (isMainThread && process.send) {
  let last = performance.now()
  let longest = 0
  setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - every)
    last = now
  }, every).unref()
  process.on('message', () => {
    process.send?.({ longest })
    longest = 0
  })
  // Else it would keep the service from ending.
  process.channel?.unref()
}
