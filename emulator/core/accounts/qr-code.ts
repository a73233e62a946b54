/** Encodes QR codes as PNG images, because React Native cannot show SVG. */
import { crc32, deflateSync } from 'node:zlib'
import { encodeQR } from 'qr'

/** Pixels per module. */
const scale = 4
/** Empty modules that scanners need on each side. */
const border = 4

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Encodes a text as a QR code in a `data:` URL. */
export function qrCodeUrl(text: string): string {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border, scale })
  return `data:image/png;base64,${encodePng(rows).toString('base64')}`
}

/** Encodes a square black-and-white image. A true pixel is black. */
function encodePng(rows: readonly (readonly boolean[])[]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(rows.length, 0)
  header.writeUInt32BE(rows.length, 4)
  // Sets one bit per pixel. The bytes after it stay 0: greyscale, default compression, filter and interlacing.
  header[8] = 1
  const pixels = Buffer.concat(rows.map(packRow))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Packs a row, eight pixels to a byte, after a byte that says "no filter". */
function packRow(row: readonly boolean[]): Buffer {
  const packed = Buffer.alloc(1 + Math.ceil(row.length / 8))
  for (const [x, isDark] of row.entries()) {
    const at = 1 + (x >> 3)
    if (!isDark) packed[at] = (packed[at] ?? 0) | (0x80 >> (x & 7))
  }
  return packed
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
