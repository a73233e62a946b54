/** PGlite in a thread of its own: bytes of PostgreSQL's protocol in, bytes out. `pglite.ts` is the other end. */
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

/** Answers are gathered until there are this many bytes, and posted together. */
const gathered = 65_536
const readyForQuery = 0x5a

/** @type {{ dataDir: string | undefined, template: Uint8Array | undefined, progress: SharedArrayBuffer }} */
const { dataDir, template, progress } = workerData
const finished = new Int32Array(progress)

/** The message of the protocol that the next bytes belong to: its type and length as far as they came, and what is missing. */
const header = new Uint8Array(5)
let headerBytes = 0
let missingBytes = 0

// Executed ten times as often as V8 would have it before it is optimised: else the compiler takes the processors during the
// start, for what never runs again.
setFlagsFromString('--wasm-tiering-budget=20000000')

// With nothing to listen to, Node's event loop would end each turn by waiting for the compiler, which optimises long after
// the database could answer.
parentPort?.ref()
const database = await PGlite.create({
  ...(dataDir === undefined ? {} : { dataDir }),
  ...(template === undefined ? {} : { loadDataDir: new Blob([new Uint8Array(template)]) }),
  extensions: { pg_trgm },
})

parentPort?.on('message', async (/** @type {Uint8Array | 'close'} */ message) => {
  if (message === 'close') {
    await database.close()
    parentPort?.postMessage('closed')
    return
  }
  /** @type {Uint8Array[]} */
  let chunks = []
  let bytes = 0
  await database.execProtocolRawStream(message, {
    syncToFs: false,
    onRawData(chunk) {
      // What comes is a view of memory that the next statement overwrites.
      chunks.push(chunk.slice())
      bytes += chunk.length
      // Counted at once, so that the other end knows what was finished if this thread has to be stopped.
      Atomics.add(finished, 0, countEnds(chunk))
      if (bytes >= gathered) post()
    },
  })
  post()

  function post() {
    const whole = chunks.length === 1 && chunks[0] ? chunks[0] : new Uint8Array(Buffer.concat(chunks))
    parentPort?.postMessage(whole, [/** @type {ArrayBuffer} */ (whole.buffer)])
    chunks = []
    bytes = 0
  }
})
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
