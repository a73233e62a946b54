/** Serializes and sends answers in steps, so that other requests get their turn. Contract 10.10. */
import type { ServerResponse } from 'node:http'
import { setImmediate as othersFirst } from 'node:timers/promises'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { JsonText, Later, type Writable, type WritableObject } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'

/** The text of an answer: one string if it is small, otherwise pieces. */
export type Text = string | readonly string[]

/** The most characters per turn of the event loop. */
const maxCharacters = 256 * 1024

/** An array or object that is being serialized. */
interface Open {
  readonly keys: readonly string[] | undefined
  readonly members: readonly Writable[]
  at: number
  isEmpty: boolean
}

/**
 * Serializes a value as JSON.
 *
 * @throws {SvcError} `RESULT_TOO_LARGE`
 */
export async function writeInSteps(value: Writable): Promise<Text> {
  const pieces: string[] = []
  let bytes = 0
  for (const piece of serializePieces(value)) {
    // Yields to other requests, but not before the first piece, which is usually the only one.
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

function openMembers(value: readonly Writable[] | WritableObject): Open {
  const keys = Array.isArray(value) ? undefined : Object.keys(value)
  return { keys, members: keys ? Object.values(value) : (value as readonly Writable[]), at: 0, isEmpty: true }
}

/** Yields pieces of the same JSON that `writeJson` produces. Computes lazy values with their piece. */
function* serializePieces(root: Writable): Generator<string> {
  const open: Open[] = []
  let text = ''

  function begin(given: Writable): void {
    let value = given
    while (value instanceof Later) value = value.write()
    if (value instanceof JsonText) text += value.text
    else if (value === null || typeof value !== 'object') text += JSON.stringify(value) ?? 'null'
    else {
      const opened = openMembers(value as readonly Writable[] | WritableObject)
      text += opened.keys ? '{' : '['
      open.push(opened)
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
    if (text.length < maxCharacters) continue
    yield text
    text = ''
  }
  yield text
}

export function countBytes(text: Text): number {
  if (typeof text === 'string') return Buffer.byteLength(text)
  return text.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
}

/** The most bytes per write to a socket, because progress is visible only once a write completes. */
const sliceBytes = 64 * 1024
/** Texts up to this length are sent in one write. */
const maxWholeCharacters = 2 * sliceBytes

/**
 * Sends the body of an answer as fast as the client takes it, and ends the answer. `readers` closes a client that takes
 * nothing.
 */
export async function endWith(res: ServerResponse, text: Text): Promise<void> {
  if (typeof text === 'string' && text.length <= maxWholeCharacters) {
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
