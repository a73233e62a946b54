/** Parses JSON of any allowed size in pieces, to keep turns of the event loop short. Contract 10.10. */
import { setImmediate as othersFirst } from 'node:timers/promises'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { isObject, type Json, type JsonObject, setOwn } from '../../../client/protocol/model/json.js'

/** The largest piece for one call to `JSON.parse`. */
const maxPieceBytes = 64 * 1024

/** A part of a body. The end is exclusive. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Bodies up to this size, or larger ones with few values, parse whole within a few milliseconds. */
const maxWholeBytes = 256 * 1024
const fewValues = { most: 20_000, maxBytes: 1024 * 1024 }

/**
 * Like `JSON.parse`, in steps if a body with this many values is large.
 *
 * @throws {SvcError} `INVALID_BODY`
 */
export async function parseJsonBytes(bytes: Buffer, values: number): Promise<Json> {
  const maxBytes = values <= fewValues.most ? fewValues.maxBytes : maxWholeBytes
  return bytes.length <= maxBytes ? parse(bytes.toString('utf8')) : parseInSteps(bytes)
}

/**
 * Like `JSON.parse`, but parses a large array or object a few members at a time, and large members likewise.
 *
 * @throws {SvcError} `INVALID_BODY`
 */
export async function parseInSteps(bytes: Buffer): Promise<Json> {
  const value = await parseRange(bytes, { from: 0, to: bytes.length })
  await othersFirst()
  return value
}

async function parseRange(bytes: Buffer, whole: Range): Promise<Json> {
  const { from, to } = trimmed(bytes, whole)
  const isObject = bytes[from] === openBrace && bytes[to - 1] === closeBrace
  const isArray = bytes[from] === openBracket && bytes[to - 1] === closeBracket
  // A large scalar is a text, which parses fast.
  if (to - from <= maxPieceBytes || !(isObject || isArray)) return parse(bytes.toString('utf8', from, to))
  const inner = { from: from + 1, to: to - 1 }
  return isObject ? parseObject(bytes, inner) : parseArray(bytes, inner)
}

async function parseArray(bytes: Buffer, inner: Range): Promise<Json[]> {
  const items: Json[] = []
  await eachPiece(bytes, inner, {
    together({ from, to }) {
      for (const item of parse(`[${bytes.toString('utf8', from, to)}]`) as Json[]) items.push(item)
    },
    async alone(range) {
      items.push(await parseRange(bytes, range))
    },
  })
  return items
}

async function parseObject(bytes: Buffer, inner: Range): Promise<JsonObject> {
  const members: JsonObject = {}
  const take = (name: string, value: Json) => {
    if (name === '__proto__') setOwn(members, name, value)
    else members[name] = value
  }
  await eachPiece(bytes, inner, {
    together({ from, to }) {
      const piece = parse(`{${bytes.toString('utf8', from, to)}}`)
      if (isObject(piece)) for (const name of Object.keys(piece)) take(name, piece[name] ?? null)
    },
    async alone(range) {
      const { from, to } = trimmed(bytes, range)
      const nameEnd = bytes[from] === quote ? endOfText(bytes, from) : from
      const { from: colonAt } = trimmed(bytes, { from: nameEnd, to })
      if (bytes[colonAt] !== colon) throw plainError('INVALID_BODY')
      take(String(parse(bytes.toString('utf8', from, nameEnd))), await parseRange(bytes, { from: colonAt + 1, to }))
    },
  })
  return members
}

interface Pieces {
  /** Takes several members with the commas between them. */
  together(range: Range): void
  /** Takes one large member. */
  alone(range: Range): Promise<void>
}

/**
 * Splits the contents of brackets at their commas.
 *
 * @throws {SvcError} `INVALID_BODY` for an empty member
 */
async function eachPiece(bytes: Buffer, inner: Range, take: Pieces): Promise<void> {
  const only = trimmed(bytes, inner)
  if (only.from === only.to) return
  let start = inner.from
  let memberAt = inner.from
  let pausedAt = inner.from
  while (memberAt <= inner.to) {
    const end = endOfMember(bytes, { from: memberAt, to: inner.to })
    const { from, to } = trimmed(bytes, { from: memberAt, to: end })
    if (from === to) throw plainError('INVALID_BODY')
    const isLarge = end - memberAt > maxPieceBytes
    const isLast = end >= inner.to
    if (isLarge && start < memberAt) take.together({ from: start, to: memberAt - 1 })
    // Finding its end already took a whole turn, and takes another for each level.
    if (isLarge) {
      await othersFirst()
      await take.alone({ from: memberAt, to: end })
    } else if (isLast || end - start > maxPieceBytes) take.together({ from: start, to: end })
    memberAt = end + 1
    if (isLarge || isLast || end - start > maxPieceBytes) start = memberAt
    if (memberAt - pausedAt < maxPieceBytes) continue
    pausedAt = memberAt
    await othersFirst()
  }
}

/**
 * Returns the position of the comma after a member, or the end.
 *
 * @throws {SvcError} `INVALID_BODY` for an unmatched closing bracket
 */
function endOfMember(bytes: Buffer, { from, to }: Range): number {
  let depth = 0
  let at = from
  while (at < to) {
    const byte = bytes[at]
    if (byte === quote) {
      at = endOfText(bytes, at)
      continue
    }
    if (byte === comma && depth === 0) return at
    if (byte === openBrace || byte === openBracket) depth++
    if ((byte === closeBrace || byte === closeBracket) && --depth < 0) throw plainError('INVALID_BODY')
    at++
  }
  return to
}

/** Returns the position after the closing quote. */
function endOfText(bytes: Buffer, from: number): number {
  let at = from + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at + 1
}

function trimmed(bytes: Buffer, { from, to }: Range): Range {
  let [start, end] = [from, Math.max(from, to)]
  while (start < end && isSpace(bytes[start])) start++
  while (end > start && isSpace(bytes[end - 1])) end--
  return { from: start, to: end }
}

/** Whether a byte is JSON whitespace. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9
}

const [quote, backslash, comma, colon] = [34, 92, 44, 58]
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125]

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    throw plainError('INVALID_BODY')
  }
}
