/** Starts the threads of PGlite. A spare one loads the library while the process reads its command. */
import { Worker } from 'node:worker_threads'

export interface ThreadSource {
  /** Folder of an existing data directory. Default: the data is in memory. */
  readonly dataDir?: string | undefined
  /** The archive that an empty database starts from. It moves to the thread. */
  readonly template?: Uint8Array<ArrayBuffer> | undefined
  /** For a repair: reads the catalogs without their indexes, which may be damaged. */
  readonly ignoresSystemIndexes?: boolean | undefined
  /** PostgreSQL's `shared_buffers`. Default: 16. */
  readonly sharedBuffersMb?: number | undefined
  /** Limits the memory of WebAssembly. PostgreSQL then reports that it is out of memory. */
  readonly maxMemoryBytes?: number | undefined
}

/** A thread and its shared memory: counts, and the bytes that it has not posted yet. */
export interface Thread {
  readonly worker: Worker
  readonly shared: SharedArrayBuffer
}

/** The size of the counts in the shared memory. */
export const headerBytes = 16
const heldBytes = 65_536

/**
 * The spare thread. It is module state, because the command line starts it before there is anything to pass it to.
 * Decision 65.
 */
let spare: Thread | undefined

/**
 * Starts a thread for the next database to open. It does not keep the process alive. Called by `cli/bin/run.js` and the
 * test helper.
 * @public
 */
export function startSpareThread(): void {
  if (spare) return
  const thread = startThread()
  spare = thread
  thread.worker.unref()
  // Ignores the error: the thread that replaces it reports it again.
  thread.worker.once('error', () => {
    if (spare === thread) spare = undefined
  })
}

/** Ends a spare thread that no database has used, for example because the data is on a server. */
export async function endSpareThread(): Promise<void> {
  const thread = spare
  spare = undefined
  await thread?.worker.terminate()
}

/** Opens the data in the spare thread or a new one. */
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
    // Captures the output, which would appear in the middle of a command's.
    stdout: true,
    stderr: true,
  })
  return { worker, shared }
}
