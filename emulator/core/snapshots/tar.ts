/** Implements the part of the tar format (POSIX ustar) that archives need: plain files with short names, in order. */
import type { FileHandle } from 'node:fs/promises'

export const blockBytes = 512
/** Bytes per read. */
const chunkBytes = 256 * 1024
/** Eleven octal digits. */
const maxEntryBytes = 8 * 1024 ** 3 - 1

const fields = {
  name: { at: 0, length: 100 },
  mode: { at: 100, length: 8 },
  uid: { at: 108, length: 8 },
  gid: { at: 116, length: 8 },
  size: { at: 124, length: 12 },
  modifiedAt: { at: 136, length: 12 },
  checksum: { at: 148, length: 8 },
  type: { at: 156, length: 1 },
  magic: { at: 257, length: 8 },
} as const

/** Builds the header block of an entry. */
export function tarHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > fields.name.length || size > maxEntryBytes)
    throw new Error(`The tar entry "${name}" is too large, or its name is too long.`)
  const header = Buffer.alloc(blockBytes)
  const write = (field: keyof typeof fields, text: string) => header.write(text, fields[field].at)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  write('name', name)
  write('mode', octal(0o644, 7))
  write('uid', octal(0, 7))
  write('gid', octal(0, 7))
  write('size', octal(size, 11))
  write('modifiedAt', octal(0, 11))
  write('type', '0')
  write('magic', 'ustar\u000000')
  write('checksum', `${octal(computeChecksum(header), 6)} `)
  return header
}

/** Checks whether a block is the header of an entry with that name. */
export function isTarHeader(block: Buffer, name: string): boolean {
  const textAt = ({ at, length }: (typeof fields)['name' | 'magic']) =>
    block.toString('latin1', at, at + length).replace(/\0.*$/s, '')
  return textAt(fields.name) === name && textAt(fields.magic).trimEnd() === 'ustar'
}

/** Pads the bytes of an entry to a full block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)
}

export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes)

export interface TarEntry {
  readonly name: string
  readonly size: number
  /** Offset of its bytes in the file. */
  readonly at: number
}

/**
 * Reads the headers of all entries without their content. @throws {Error} that says why the file is not a tar file, or
 * is damaged
 */
export async function* tarEntries(file: FileHandle): AsyncGenerator<TarEntry> {
  const { size: length } = await file.stat()
  const header = Buffer.alloc(blockBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(header, 0, blockBytes, at)
    if (bytesRead < blockBytes) throw new Error('it is truncated')
    if (header.every((byte) => byte === 0)) return
    const { name, size } = readHeader(header)
    const end = at + blockBytes + size
    if (end > length) throw new Error('it is truncated')
    yield { name, size, at: at + blockBytes }
    at = end + tarPadding(size).length
  }
}

function readHeader(header: Buffer): { name: string; size: number } {
  const text = (field: keyof typeof fields) => {
    const { at, length } = fields[field]
    return header.toString('utf8', at, at + length).replace(/\0.*$/s, '')
  }
  if (text('magic') !== 'ustar') throw new Error('it is not a tar file')
  if (Number.parseInt(text('checksum'), 8) !== computeChecksum(header))
    throw new Error('the header of an entry is damaged')
  const digits = text('size')
  if (!/^[0-7]{1,11}$/.test(digits) || !/^0?$/.test(text('type'))) throw new Error('an entry is not a regular file')
  return { name: text('name'), size: Number.parseInt(digits, 8) }
}

/** Reads the bytes of an entry in chunks. */
export async function* readEntryBytes(file: FileHandle, { at, size }: TarEntry): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; ) {
    const piece = Buffer.alloc(Math.min(chunkBytes, size - done))
    const { bytesRead } = await file.read(piece, 0, piece.length, at + done)
    if (bytesRead === 0) throw new Error('it is truncated')
    done += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

/** Reads all bytes of an entry at once. */
export async function readEntry(file: FileHandle, entry: TarEntry): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of readEntryBytes(file, entry)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Sums all bytes, with spaces in place of the checksum itself. */
function computeChecksum(header: Buffer): number {
  const { at: start, length } = fields.checksum
  return header.reduce((sum, byte, at) => sum + (at >= start && at < start + length ? 0x20 : byte), 0)
}
