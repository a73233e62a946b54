/** The thread that kills a hung process. A hung event loop runs no timer and handles no signal. `hang-watch.ts` starts it. */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

const { beats, beatMilliseconds, maxSilentBeats } = /** @type {import('./hang-watch.js').Watched} */ (workerData)

let latest = 0
let silentBeats = 0

// Counts beats of its own timer, not time on a clock: while the machine sleeps, both timers stand still.
setInterval(() => {
  const current = Atomics.load(beats, 0)
  silentBeats = current === latest ? silentBeats + 1 : 0
  latest = current
  if (silentBeats >= maxSilentBeats) kill()
}, beatMilliseconds)

function kill() {
  const seconds = (maxSilentBeats * beatMilliseconds) / 1_000
  const msg = `The event loop has not run for ${seconds} s: this process hangs and is killed.`
  try {
    writeSync(2, `${JSON.stringify({ level: 60, time: Date.now(), pid: process.pid, msg })}\n`)
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
}
