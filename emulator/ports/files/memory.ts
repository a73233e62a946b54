/** Keeps files in this process's memory, for a service without a state folder. Nothing stays on disk. */
import { Readable } from 'node:stream'
import type { ByteRange, FileStore } from './port.js'

/** Limits a chunk, so that a slow reader does not get the whole file at once. */
const pieceBytes = 256 * 1024

/** Opens the store on the files in `files`. */
export function openMemoryStore(files: Map<string, Buffer> = new Map()): FileStore {
  return {
    async write(id, bytes) {
      const chunks: Uint8Array[] = []
      for await (const chunk of bytes) chunks.push(chunk)
      files.set(id, Buffer.concat(chunks))
    },

    async read(id, range) {
      const bytes = files.get(id)
      return bytes && Readable.from(splitPieces(bytes, range), { objectMode: false })
    },

    async remove(ids) {
      for (const id of ids) files.delete(id)
    },

    async *list() {
      yield [...files.keys()]
    },

    has: async (id) => files.has(id),

    // Requests may still be writing any file, because none is older than the process.
    isSettled: async () => false,

    async close() {},
  }
}

function* splitPieces(bytes: Buffer, { first, last }: ByteRange = { first: 0, last: bytes.length - 1 }) {
  for (let at = first; at <= last; at += pieceBytes) yield bytes.subarray(at, Math.min(at + pieceBytes, last + 1))
}
