import { Worker } from 'node:worker_threads'
import type { Log } from '../http/logging/log.js'
import { ownFolder } from '../own-folder.js'

/** What the thread knows. */
export interface Watched {
  /** One shared number, which the event loop increments. */
  readonly beats: Int32Array
  readonly beatMilliseconds: number
  readonly maxSilentBeats: number
}

export interface HangWatch {
  close(): Promise<void>
}

/** Enough that one beat more or less does not matter. */
const maxSilentBeats = 6

/** Kills this process once its event loop has not run for so long, so that a supervisor restarts it. 0 turns it off. */
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
  // After the listener, which would keep the process running.
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
  'This process has PID 1, which the kernel does not let it kill: it would stay if it hung. Start it under an init, for example docker run --init.'
