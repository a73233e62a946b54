/** Cases that every file store must pass. */
import { randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ByteRange, FileStore } from '../../emulator/ports/files/port.js'

export interface OpenedStore {
  /** Opens the same store once more, as the next start does. */
  open(): Promise<FileStore>
  stop(): Promise<void>
}

export function fileStoreCases(kind: string, prepare: () => Promise<OpenedStore>) {
  describe(`files on ${kind}`, () => {
    let place: OpenedStore
    let store: FileStore

    beforeAll(async () => {
      place = await prepare()
      store = await place.open()
    })

    afterAll(async () => {
      await store.close()
      await place.stop()
    })

    async function read(id: string, range?: ByteRange, from = store): Promise<Buffer | undefined> {
      const bytes = await from.read(id, range)
      return bytes && buffer(bytes)
    }

    async function idsIn(from: FileStore): Promise<string[]> {
      const ids: string[] = []
      for await (const some of from.list()) ids.push(...some)
      return ids.sort()
    }

    const lengths = [0, 1, 100_000, 8 * 2 ** 20 - 1, 8 * 2 ** 20, 8 * 2 ** 20 + 1, 20_000_000]
    it.each(lengths)('gives %i bytes back as they were', async (length) => {
      const id = randomUUID()
      const bytes = randomBytes(length)

      await store.write(id, inPieces(bytes, 65_536))
      const kept = await read(id)

      expect(kept?.equals(bytes)).toBe(true)
      expect(await store.has(id)).toBe(true)
      await store.remove([id])
    })

    it('reads a part, its first and last byte included', async () => {
      const id = randomUUID()
      await store.write(id, inPieces(Buffer.from('0123456789'), 3))

      expect(String(await read(id, { first: 2, last: 4 }))).toBe('234')
      expect(String(await read(id, { first: 9, last: 9 }))).toBe('9')
    })

    it('finds nothing under an id that it does not have', async () => {
      const id = randomUUID()

      expect(await store.read(id)).toBeUndefined()
      expect(await store.has(id)).toBe(false)
      expect(await store.isSettled(id)).toBe(false)
    })

    it('removes what is there, and does not mind what is not', async () => {
      const [one, other] = [randomUUID(), randomUUID()]
      await store.write(one, inPieces(Buffer.from('x'), 1))
      await store.write(other, inPieces(Buffer.from('y'), 1))

      await store.remove([])
      await store.remove([one, randomUUID()])

      expect([await store.has(one), await store.has(other)]).toEqual([false, true])
    })

    it.each([10, 9_000_000])('keeps nothing of a file whose sender gave up after %i bytes', async (length) => {
      const id = randomUUID()
      async function* broken() {
        yield* inPieces(Buffer.alloc(length), 500_000)
        throw new Error('gone')
      }

      await expect(store.write(id, broken())).rejects.toThrow('gone')

      expect(await store.has(id)).toBe(false)
      expect(await idsIn(store)).not.toContain(id)
    })

    it('lists what it has, and what the next start has too', async () => {
      const ids = Array.from({ length: 1_020 }, () => randomUUID())
      for (let at = 0; at < ids.length; at += 20) {
        await Promise.all(ids.slice(at, at + 20).map((id) => store.write(id, inPieces(Buffer.from('x'), 1))))
      }

      const next = await place.open()

      expect(await idsIn(next)).toEqual(expect.arrayContaining(ids))
      expect(String(await read(ids[0] ?? '', undefined, next))).toBe('x')
      await next.remove(ids)
      expect(await idsIn(store)).not.toContain(ids[0])
      await next.close()
    })

    it('does not take what has just landed for settled', async () => {
      const id = randomUUID()

      await store.write(id, inPieces(Buffer.from('x'), 1))

      expect(await store.isSettled(id)).toBe(false)
    })
  })
}

async function* inPieces(bytes: Buffer, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}
