/** Files in this process's memory, for a service that keeps nothing: however it ends, nothing is left on a disk. */
import { Readable } from 'node:stream'
import type { ByteRange, FileStore } from './port.js'

/** What is read at once, so that a slow reader is not handed everything. */
const pieceBytes = 256 * 1024

/** Opens the store on what `files` holds already. */
export function openMemoryStore(files: Map<string, Buffer> = new Map()): FileStore {
  return {
    async write(id, bytes) {
      const chunks: Uint8Array[] = []
      for await (const chunk of bytes) chunks.push(chunk)
      files.set(id, Buffer.concat(chunks))
    },

    async read(id, range) {
      const bytes = files.get(id)
      return bytes && Readable.from(piecesOf(bytes, range), { objectMode: false })
    },

    async remove(ids) {
      for (const id of ids) files.delete(id)
    },

    async *list() {
      yield [...files.keys()]
    },

    has: async (id) => files.has(id),

    // Nothing is older than the process, in which any request may still be at work on it.
    isSettled: async () => false,

    async close() {},
  }
}

function* piecesOf(bytes: Buffer, { first, last }: ByteRange = { first: 0, last: bytes.length - 1 }) {
  for (let at = first; at <= last; at += pieceBytes) yield bytes.subarray(at, Math.min(at + pieceBytes, last + 1))
}
