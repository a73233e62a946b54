/** Answers in steps: as text, and to the socket. Contract 10.10. */
import type { ServerResponse } from 'node:http'
import { setImmediate as othersFirst } from 'node:timers/promises'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { JsonText, Later, type Writable, type WritableObject } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'

/** The text of an answer: whole where it is small, else in pieces. */
export type Text = string | readonly string[]

/** What is written before others have their turn. */
const mostCharacters = 256 * 1024

/** An array or object that is being written. */
interface Open {
  readonly keys: readonly string[] | undefined
  readonly members: readonly Writable[]
  at: number
  isEmpty: boolean
}

/** A value as JSON. @throws {SvcError} `RESULT_TOO_LARGE` */
export async function writeInSteps(value: Writable): Promise<Text> {
  const pieces: string[] = []
  let bytes = 0
  for (const piece of piecesOf(value)) {
    // Others come first, not before a piece that is the only one.
    if (pieces.length > 0) await othersFirst()
    bytes += Buffer.byteLength(piece)
    if (bytes > sizes.maxAnswerBytes) throw tooLong()
    pieces.push(piece)
  }
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : pieces
}

function tooLong() {
  return plainError('RESULT_TOO_LARGE', {
    reason: { kind: 'limit', limit: 'answer bytes', most: sizes.maxAnswerBytes },
  })
}

/** As `writeJson` writes it, piece by piece; what is written later is worked out as its piece is. */
function* piecesOf(root: Writable): Generator<string> {
  const open: Open[] = []
  let text = ''

  function begin(given: Writable): void {
    let value = given
    while (value instanceof Later) value = value.write()
    if (value instanceof JsonText) text += value.text
    else if (value === null || typeof value !== 'object') text += JSON.stringify(value) ?? 'null'
    else {
      const isList = Array.isArray(value)
      const keys = isList ? undefined : Object.keys(value)
      const members = isList ? (value as readonly Writable[]) : Object.values(value as WritableObject)
      text += isList ? '[' : '{'
      open.push({ keys, members, at: 0, isEmpty: true })
    }
  }

  begin(root)
  for (let last = open.at(-1); last; last = open.at(-1)) {
    if (last.at === last.members.length) {
      text += last.keys ? '}' : ']'
      open.pop()
      continue
    }
    const key = last.keys?.[last.at]
    const member = last.members[last.at++]
    if (key !== undefined && member === undefined) continue
    if (!last.isEmpty) text += ','
    last.isEmpty = false
    if (key !== undefined) text += `${JSON.stringify(key)}:`
    begin(member)
    if (text.length < mostCharacters) continue
    yield text
    text = ''
  }
  yield text
}

export function bytesOf(text: Text): number {
  if (typeof text === 'string') return Buffer.byteLength(text)
  return text.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
}

/** What is given to a socket at once: that some of it was taken is seen once all of it is. */
const sliceBytes = 64 * 1024
/** A text that goes out whole. */
const mostWholeCharacters = 2 * sliceBytes

/** Writes the body of an answer, as fast as the other end takes it, and ends it. One that takes none is closed by `readers`. */
export async function endWith(res: ServerResponse, text: Text): Promise<void> {
  if (typeof text === 'string' && text.length <= mostWholeCharacters) {
    res.end(text)
    return
  }
  for (const piece of [text].flat()) {
    await writeSlices(res, Buffer.from(piece))
    if (res.destroyed) return
    await othersFirst()
  }
  res.end()
}

async function writeSlices(res: ServerResponse, piece: Buffer): Promise<void> {
  for (let at = 0; at < piece.length; at += sliceBytes) {
    if (res.destroyed) return
    if (!res.write(piece.subarray(at, at + sliceBytes))) await drained(res)
  }
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done)
      res.off('close', done)
      resolve()
    }
    res.on('drain', done)
    res.on('close', done)
  })
}
