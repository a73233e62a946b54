/**
 * PGlite in a thread of its own: what it opens, then bytes of PostgreSQL's protocol in, bytes out. `thread.ts` and
 * `connection.ts` are the other end.
 */
import { readFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

const readyForQuery = 0x5a

/** @type {{ shared: SharedArrayBuffer, headerBytes: number }} */
const { shared, headerBytes: sharedHeaderBytes } = workerData
/** ReadyForQuery messages produced, bytes that are held, and messages posted: `connection.ts` reads them. */
const [finished, heldBytes, posted] = [0, 1, 2]
const counts = new Int32Array(shared, 0, sharedHeaderBytes / 4)
const held = new Uint8Array(shared, sharedHeaderBytes)

/** The message of the protocol that the next bytes belong to: its type and length as far as they came, and what is missing. */
const header = new Uint8Array(5)
let headerBytes = 0
let missingBytes = 0

/** PostgreSQL reserves shared memory as it starts. Its defaults are for a server: 128 MB of buffers, 100 connections. */
const leastBuffersMb = 16
const memorySettings = (/** @type {number} */ sharedBuffersMb) => [
  `shared_buffers=${sharedBuffersMb}MB`,
  'max_connections=5',
  'wal_buffers=256kB',
]

/** Files of the log are laid down as the database opens already, so this can't wait until it answers. */
const logSettings = [
  // Nothing is synced to the disk here, so there is nothing that room written ahead would make safer.
  'wal_init_zero=off',
  // What a checkpoint has made superfluous is deleted rather than kept for what may be written later.
  'wal_recycle=off',
]

const wasmPageBytes = 65_536
/** Files of an embedded database in memory are outside the memory of WebAssembly, so they have a limit too. */
// The stack of the thread ends before PostgreSQL's usual limit, in a place where it does not notice.
const limitedSettings = ['temp_file_limit=100MB', 'max_stack_depth=100kB']

// Executed ten times as often as V8 would have it before it is optimised: else the compiler takes the processors during the
// start, for what never runs again.
setFlagsFromString('--wasm-tiering-budget=20000000')
// Each task of the compiler keeps the memory that it worked in: 17 MB after a start.
setFlagsFromString('--wasm-num-compilation-tasks=1')

/** Without the types of arrays, which PGlite's own reading of answers asks the catalogs for as it opens. */
class ProtocolOnly extends PGlite {
  /** @override */
  async _initArrayTypes() {}
}

/** An archive that PGlite reads where it is. A `Blob` would copy it, and once more to hand it out. */
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
 * Answers are gathered and posted together. Until then they are where the other end can read them: what was done before a
 * statement that never ends is answered, although this thread will post nothing any more.
 *
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
  // Counted at once, so that the other end knows what was finished if this thread has to be stopped.
  Atomics.add(counts, finished, countEnds(chunk))
}

/** In a function, so that the archive is garbage as soon as it is unpacked. */
async function openDatabase() {
  // A thread that is started ahead of its data has the time to compile.
  const [given, pgliteWasmModule] = await Promise.all([source(), compiled()])
  const { dataDir, template, ignoresSystemIndexes, sharedBuffersMb = leastBuffersMb, maxMemoryBytes } = given
  if (maxMemoryBytes !== undefined) limitMemory(maxMemoryBytes)
  // With nothing to listen to, Node's event loop would end each turn by waiting for the compiler, which optimises long after
  // the database could answer.
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

/** The library asks for memory here alone, and tells PostgreSQL when it gets none. @param {number} maxBytes */
function limitMemory(maxBytes) {
  const { grow } = WebAssembly.Memory.prototype
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * wasmPageBytes > maxBytes)
      throw new RangeError('The memory of the thread is full.')
    return grow.call(this, pages)
  }
}

/** What to open, the first message of all. @returns {Promise<import('./thread.js').ThreadSource>} */
function source() {
  return new Promise((resolve) => parentPort?.once('message', resolve))
}

/** PostgreSQL, from the file beside PGlite's own. */
async function compiled() {
  const file = new URL('./pglite.wasm', import.meta.resolve('@electric-sql/pglite'))
  return WebAssembly.compile(await readFile(file))
}

function post() {
  postBytes(held.slice(0, counts[heldBytes]))
}

/** In this order: a thread that is stopped in between leaves bytes that were posted, but none that count twice. @param {Uint8Array} bytes */
function postBytes(bytes) {
  parentPort?.postMessage(bytes, [/** @type {ArrayBuffer} */ (bytes.buffer)])
  Atomics.store(counts, heldBytes, 0)
  Atomics.add(counts, posted, 1)
}
parentPort?.postMessage('open')

/** How many ReadyForQuery messages end in these bytes; any message may be cut where they end. @param {Uint8Array} chunk */
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
