/**
 * Loaded into a service with `--import`. Reports the length of its event loop turns to the parent process: by the
 * clock, and in CPU time of the main thread, which does not depend on the load of the machine.
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
  // Lets the service exit.
  process.channel?.unref()
}

/** Returns the CPU time in milliseconds. */
function computed() {
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
}
