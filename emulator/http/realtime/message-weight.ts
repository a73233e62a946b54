/** Measures the incomplete message of a WebSocket. RFC 6455 5. */
import { pieceBytes } from '../../core/concurrency/memory-budget.js'

/** The message or ping that has begun but is not complete. */
export interface Unfinished {
  /** Bytes since it began, including control frames between its parts. */
  readonly bytes: number
  /** Memory that it holds. Its parts are views of whole chunks, and each chunk has an overhead. */
  readonly weight: number
}

export interface MessageWatch {
  /** @param chunk the bytes read next */
  read(chunk: Buffer): Unfinished
}

export function watchMessages(): MessageWatch {
  /** The bytes of an incomplete frame header. */
  const head: number[] = []
  let payloadLeft = 0
  /** True after a part that is not the last of its message. */
  let isOpen = false
  let bytes = 0
  let weight = 0

  const isBetween = () => !isOpen && payloadLeft === 0 && head.length === 0

  function readHead(byte: number): void {
    head.push(byte)
    if (head.length < headBytes(head)) return
    const [first = 0] = head
    payloadLeft = payloadBytes(head)
    // Control frames such as pings may come between the parts of a message.
    if (!isControl(first)) isOpen = !isLast(first)
    head.length = 0
  }

  /** Returns the offset at which the newest message begins in these bytes, if one does. */
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

/** Returns the header length of a client's frame, which is masked. */
function headBytes([, second]: readonly number[]): number {
  const length = (second ?? 0) & 0x7f
  return second === undefined ? 2 : length < 126 ? 6 : length === 126 ? 8 : 14
}

function payloadBytes([, second = 0, ...more]: readonly number[]): number {
  const length = second & 0x7f
  if (length < 126) return length
  return more.slice(0, length === 126 ? 2 : 8).reduce((all, byte) => all * 256 + byte, 0)
}
