import { Worker } from 'node:worker_threads'
import { ownFolder } from '../facts/own-folder.js'
import type { Log } from '../http/logging/log.js'

/** Data for the watching thread. */
export interface Watched {
  /** Shared counter that the event loop increments. */
  readonly beats: Int32Array
  readonly beatMilliseconds: number
  readonly maxSilentBeats: number
}

export interface HangWatch {
  close(): Promise<void>
}

/** High enough to tolerate one missed beat. */
const maxSilentBeats = 6

/** Kills this process if its event loop hangs for the given time, so that a supervisor restarts it. 0 disables it. */
export function openHangWatch(
  timeoutMilliseconds: number,
  { failure, warn }: Pick<Log, 'failure' | 'warn'>,
): HangWatch {
  if (timeoutMilliseconds === 0) return { close: async () => undefined }
  if (process.pid === 1) warn(ignoresKill)
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const beatMilliseconds = timeoutMilliseconds / maxSilentBeats
  const workerData: Watched = { beats, beatMilliseconds, maxSilentBeats }
  const thread = new Worker(new URL('serving/hang-thread.js', ownFolder), { workerData })
  thread.on('error', (error) => failure('hang watch', error))
  // Call after adding the listener, which would keep the process running.
  thread.unref()
  const timer = setInterval(() => Atomics.add(beats, 0, 1), beatMilliseconds)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      await thread.terminate()
    },
  }
}

const ignoresKill =
  'This process has PID 1, so the kernel does not let it kill itself if it hangs. Run it under an init, for example docker run --init.'
