/** How much of a client's messages is here that is not whole. RFC 6455 5. */
import { pieceBytes } from '../guards/incoming-bytes.js'

/** Of the message that has begun and is not whole, or of a ping that is not. */
export interface Unfinished {
  /** What came since it began, with what stands between its parts. */
  readonly bytes: number
  /** What is held of it: its parts are views of all that was read with them, and each read costs something by itself. */
  readonly weight: number
}

export interface MessageWatch {
  /** @param chunk what was read next */
  read(chunk: Buffer): Unfinished
}

export function watchMessages(): MessageWatch {
  /** Of a frame whose head is not whole. */
  const head: number[] = []
  let payloadLeft = 0
  /** A part has come that is not the last one of its message. */
  let isOpen = false
  let bytes = 0
  let weight = 0

  const isBetween = () => !isOpen && payloadLeft === 0 && head.length === 0

  function readHead(byte: number): void {
    head.push(byte)
    if (head.length < headBytes(head)) return
    const [first = 0] = head
    payloadLeft = payloadBytes(head)
    // Pings and the like stand between the parts of a message.
    if (!isControl(first)) isOpen = !isLast(first)
    head.length = 0
  }

  /** Where the newest message begins, if it does in these bytes. */
  function beginning(chunk: Buffer): number | undefined {
    let begun = isBetween() ? 0 : undefined
    for (let at = 0; at < chunk.length; ) {
      const payload = Math.min(payloadLeft, chunk.length - at)
      payloadLeft -= payload
      if (payload === 0) readHead(chunk.readUInt8(at))
      at += payload || 1
      if (isBetween()) begun = at
    }
    return begun
  }

  return {
    read(chunk) {
      const begun = beginning(chunk)
      const cost = chunk.length + pieceBytes
      bytes = begun === undefined ? bytes + chunk.length : chunk.length - begun
      weight = begun === undefined ? weight + cost : isBetween() ? 0 : cost
      return { bytes, weight }
    },
  }
}

const isLast = (first: number) => (first & 0x80) !== 0
const isControl = (first: number) => (first & 0x08) !== 0

/** How long a head is that begins so, of a client, which masks. */
function headBytes([, second]: readonly number[]): number {
  const length = (second ?? 0) & 0x7f
  return second === undefined ? 2 : length < 126 ? 6 : length === 126 ? 8 : 14
}

function payloadBytes([, second = 0, ...more]: readonly number[]): number {
  const length = second & 0x7f
  if (length < 126) return length
  return more.slice(0, length === 126 ? 2 : 8).reduce((all, byte) => all * 256 + byte, 0)
}
