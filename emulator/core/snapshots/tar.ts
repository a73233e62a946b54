/** As much of the tar format (POSIX ustar) as an archive needs: plain files under short names, in their order. */
import type { FileHandle } from 'node:fs/promises'

export const blockBytes = 512
/** What is read at once. */
const pieceBytes = 256 * 1024
/** Eleven octal digits. */
const mostEntryBytes = 8 * 1024 ** 3 - 1

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

/** What stands before the bytes of an entry. */
export function tarHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > fields.name.length || size > mostEntryBytes) throw new Error(`No tar entry: "${name}".`)
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
  write('checksum', `${octal(checksumOf(header), 6)} `)
  return header
}

/** Whether a block begins an entry of that name. */
export function isTarHeader(block: Buffer, name: string): boolean {
  const textAt = ({ at, length }: (typeof fields)['name' | 'magic']) =>
    block.toString('latin1', at, at + length).replace(/\0.*$/s, '')
  return textAt(fields.name) === name && textAt(fields.magic).trimEnd() === 'ustar'
}

/** What stands after them: an entry ends with its block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)
}

export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes)

export interface TarEntry {
  readonly name: string
  readonly size: number
  /** Where its bytes begin. */
  readonly at: number
}

/** The entries of a file; nothing of what they hold is read. @throws {Error} that says what is no tar, or damaged */
export async function* tarEntries(file: FileHandle): AsyncGenerator<TarEntry> {
  const { size: length } = await file.stat()
  const header = Buffer.alloc(blockBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(header, 0, blockBytes, at)
    if (bytesRead < blockBytes) throw new Error('it ends too early')
    if (header.every((byte) => byte === 0)) return
    const { name, size } = readHeader(header)
    const end = at + blockBytes + size
    if (end > length) throw new Error('it ends too early')
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
  if (Number.parseInt(text('checksum'), 8) !== checksumOf(header)) throw new Error('the head of an entry is damaged')
  const digits = text('size')
  if (!/^[0-7]{1,11}$/.test(digits) || !/^0?$/.test(text('type'))) throw new Error('an entry is not a regular file')
  return { name: text('name'), size: Number.parseInt(digits, 8) }
}

/** The bytes of an entry, a piece at a time. */
export async function* bytesOf(file: FileHandle, { at, size }: TarEntry): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; ) {
    const piece = Buffer.alloc(Math.min(pieceBytes, size - done))
    const { bytesRead } = await file.read(piece, 0, piece.length, at + done)
    if (bytesRead === 0) throw new Error('it ends too early')
    done += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

/** The bytes of an entry, all at once. */
export async function readEntry(file: FileHandle, entry: TarEntry): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of bytesOf(file, entry)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The sum of all bytes, with spaces in the place of the checksum itself. */
function checksumOf(header: Buffer): number {
  const { at: start, length } = fields.checksum
  return header.reduce((sum, byte, at) => sum + (at >= start && at < start + length ? 0x20 : byte), 0)
}
