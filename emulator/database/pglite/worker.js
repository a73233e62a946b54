/**
 * Runs PGlite in a worker thread: first the data to open, then bytes of PostgreSQL's protocol in and out. Counterparts:
 * `thread.ts` and `connection.ts`.
 */
import { readFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

const readyForQuery = 0x5a

/** @type {{ shared: SharedArrayBuffer, headerBytes: number }} */
const { shared, headerBytes: sharedHeaderBytes } = workerData
/** ReadyForQuery messages produced, bytes held, and messages posted: `connection.ts` reads them. */
const [finished, heldBytes, posted] = [0, 1, 2]
const counts = new Int32Array(shared, 0, sharedHeaderBytes / 4)
const held = new Uint8Array(shared, sharedHeaderBytes)

/**
 * The protocol message that the next bytes belong to: its type and length as received so far, and the missing bytes.
 */
const header = new Uint8Array(5)
let headerBytes = 0
let missingBytes = 0

/**
 * Reduces the shared memory that PostgreSQL reserves. Its defaults are for a server: 128 MB of buffers, 100
 * connections.
 */
const minBuffersMb = 16
const memorySettings = (/** @type {number} */ sharedBuffersMb) => [
  `shared_buffers=${sharedBuffersMb}MB`,
  'max_connections=5',
  'wal_buffers=256kB',
]

/** Passed at the start, because opening the database already writes log files. */
const logSettings = [
  // Preallocating log files does not help, because nothing is synced to the disk here.
  'wal_init_zero=off',
  // Deletes log files after a checkpoint instead of keeping them for reuse.
  'wal_recycle=off',
]

const wasmPageBytes = 65_536
/** Limits temporary files, because files of an in-memory database are outside the memory of WebAssembly. */
// Lowers the stack limit: the thread's stack ends before PostgreSQL's default, and PostgreSQL would not notice.
const limitedSettings = ['temp_file_limit=100MB', 'max_stack_depth=100kB']

// Delays optimization tenfold. Otherwise the compiler takes the processors during the start, for code that never runs
// again.
setFlagsFromString('--wasm-tiering-budget=20000000')
// Limits the compiler tasks, because each keeps its working memory: 17 MB after a start.
setFlagsFromString('--wasm-num-compilation-tasks=1')

/** Skips PGlite's query for array types, which only its own result parser needs. */
class ProtocolOnly extends PGlite {
  /** @override */
  async _initArrayTypes() {}
}

/** Passes an archive to PGlite without a copy. A plain `Blob` would copy it twice. */
class Archive extends Blob {
  /** @param {Uint8Array<ArrayBuffer>} bytes */
  constructor({ buffer }) {
    super()
    this.buffer = buffer
  }

  /** @override */
  async arrayBuffer() {
    return this.buffer
  }
}

const database = await openDatabase()

parentPort?.on('message', async (/** @type {Uint8Array | 'close'} */ message) => {
  if (message === 'close') {
    await database.close()
    parentPort?.postMessage('closed')
    return
  }
  await database.execProtocolRawStream(message, {
    syncToFs: false,
    onRawData: gather,
  })
  post()
})

/**
 * Collects results and posts them together. Until then the other end can read them from shared memory, so that it gets
 * the results before a statement that never ends.
 * @param {Uint8Array} chunk a view of memory that the next statement overwrites
 */
function gather(chunk) {
  if ((counts[heldBytes] ?? 0) + chunk.length > held.length) post()
  if (chunk.length > held.length) {
    postBytes(chunk.slice())
  } else {
    const at = counts[heldBytes] ?? 0
    held.set(chunk, at)
    Atomics.store(counts, heldBytes, at + chunk.length)
  }
  // Counts at once, so that the other end knows what was finished if this thread has to be stopped.
  Atomics.add(counts, finished, countEnds(chunk))
}

/** A function, so that the archive becomes garbage as soon as it is unpacked. */
async function openDatabase() {
  // Compiles while waiting: a spare thread is started ahead of its data.
  const [given, pgliteWasmModule] = await Promise.all([source(), compiled()])
  const { dataDir, template, ignoresSystemIndexes, sharedBuffersMb = minBuffersMb, maxMemoryBytes } = given
  if (maxMemoryBytes !== undefined) limitMemory(maxMemoryBytes)
  // Keeps a listener referenced. Otherwise Node's event loop would wait at the end of each turn for the compiler, which
  // optimizes long after the database could answer.
  parentPort?.ref()
  const opened = new ProtocolOnly({
    pgliteWasmModule,
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(template === undefined ? {} : { loadDataDir: new Archive(template) }),
    extensions: { pg_trgm },
    startParams: [
      ...PGlite.defaultStartParams,
      ...[
        ...memorySettings(sharedBuffersMb),
        ...logSettings,
        ...(maxMemoryBytes === undefined ? [] : limitedSettings),
      ].flatMap((setting) => ['-c', setting]),
      ...(ignoresSystemIndexes ? ['-P'] : []),
    ],
  })
  await opened.waitReady
  return opened
}

/**
 * Makes memory growth fail above the limit. The library grows memory only here, and tells PostgreSQL.
 * @param {number} maxBytes
 */
function limitMemory(maxBytes) {
  const { grow } = WebAssembly.Memory.prototype
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * wasmPageBytes > maxBytes)
      throw new RangeError('The memory of the thread is full.')
    return grow.call(this, pages)
  }
}

/** Waits for the first message: the data to open. @returns {Promise<import('./thread.js').ThreadSource>} */
function source() {
  return new Promise((resolve) => parentPort?.once('message', resolve))
}

/** Compiles PostgreSQL from the file next to PGlite. */
async function compiled() {
  const file = new URL('./pglite.wasm', import.meta.resolve('@electric-sql/pglite'))
  return WebAssembly.compile(await readFile(file))
}

function post() {
  postBytes(held.slice(0, counts[heldBytes]))
}

/** Keeps this order, so that no byte counts twice if the thread is stopped in between. @param {Uint8Array} bytes */
function postBytes(bytes) {
  parentPort?.postMessage(bytes, [/** @type {ArrayBuffer} */ (bytes.buffer)])
  Atomics.store(counts, heldBytes, 0)
  Atomics.add(counts, posted, 1)
}
parentPort?.postMessage('open')

/**
 * Counts the ReadyForQuery messages that end in these bytes. A message may be split across chunks.
 * @param {Uint8Array} chunk
 */
function countEnds(chunk) {
  let ends = 0
  let at = 0
  while (at < chunk.length) {
    if (headerBytes < header.length) {
      header[headerBytes++] = chunk[at++] ?? 0
      if (headerBytes === header.length) missingBytes = new DataView(header.buffer).getUint32(1) - 4
    } else {
      const step = Math.min(missingBytes, chunk.length - at)
      at += step
      missingBytes -= step
    }
    if (headerBytes < header.length || missingBytes > 0) continue
    if (header[0] === readyForQuery) ends++
    headerBytes = 0
  }
  return ends
}
