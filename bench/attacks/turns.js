/**
 * Goes into a service by `--import`, and tells the process that started it how long the turns of its event loop were: by the clock,
 * and in processor time of the main thread, which does not grow with the load on the machine.
 */
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const every = 5

if (isMainThread && process.send) {
  let last = performance.now()
  let lastComputed = computed()
  let longest = { turn: 0, computing: 0 }
  setInterval(() => {
    const now = performance.now()
    const nowComputed = computed()
    longest = {
      turn: Math.max(longest.turn, now - last - every),
      computing: Math.max(longest.computing, nowComputed - lastComputed),
    }
    last = now
    lastComputed = nowComputed
  }, every).unref()
  process.on('message', () => {
    process.send?.({ longest })
    longest = { turn: 0, computing: 0 }
  })
  // Else it would keep the service from ending.
  process.channel?.unref()
}

/** Milliseconds. */
function computed() {
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
}
