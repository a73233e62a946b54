/** The threads that PGlite runs in. One that is started ahead of its data loads the library while the process reads its command. */
import { Worker } from 'node:worker_threads'

/** What a thread opens. */
export interface ThreadSource {
  /** Folder of an existing data directory; left out, the data live in memory. */
  readonly dataDir?: string | undefined
  /** The archive of a data directory that an empty database starts from. It moves to the thread. */
  readonly template?: Uint8Array<ArrayBuffer> | undefined
  /** For a repair: the catalogs are read without their indexes, which may be damaged. */
  readonly ignoresSystemIndexes?: boolean | undefined
  /** PostgreSQL's `shared_buffers`; left out, 16. */
  readonly sharedBuffersMb?: number | undefined
  /** Limits the memory of WebAssembly. PostgreSQL then says that it is out of memory. */
  readonly maxMemoryBytes?: number | undefined
}

/** A thread, and what it shares: counts, and the bytes that it has not posted yet. */
export interface Thread {
  readonly worker: Worker
  readonly shared: SharedArrayBuffer
}

/** How long what counts is in what a thread shares. */
export const headerBytes = 16
const heldBytes = 65_536

/**
 * The thread that waits for its data. A module may hold it, since a process begins once: the command line starts it before
 * there is anything that it could be handed to. Decision 65.
 */
let spare: Thread | undefined

/**
 * Starts a thread that the next database to open runs in. It does not keep the process running. `cli/bin/run.js` calls it, and
 * the test helper.
 *
 * @public
 */
export function startSpareThread(): void {
  if (spare) return
  const thread = startThread()
  spare = thread
  thread.worker.unref()
  // A library that cannot be loaded is reported by the thread that is started in its place.
  thread.worker.once('error', () => {
    if (spare === thread) spare = undefined
  })
}

/** Ends the thread that no database has taken, as where the data are on a server. */
export async function endSpareThread(): Promise<void> {
  const thread = spare
  spare = undefined
  await thread?.worker.terminate()
}

/** A thread that has begun to open the data: the spare one, or a new one. */
export function openThread(source: ThreadSource): Thread {
  const thread = spare ?? startThread()
  spare = undefined
  thread.worker.ref()
  const { dataDir, template, ignoresSystemIndexes, sharedBuffersMb, maxMemoryBytes } = source
  const moved = template ? [template.buffer] : []
  thread.worker.postMessage({ dataDir, template, ignoresSystemIndexes, sharedBuffersMb, maxMemoryBytes }, moved)
  return thread
}

function startThread(): Thread {
  const shared = new SharedArrayBuffer(headerBytes + heldBytes)
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: { shared, headerBytes },
    // The embedded server is quiet; what it prints on its own would land in the middle of a command's output.
    stdout: true,
    stderr: true,
  })
  return { worker, shared }
}
