/** One call of the client, written as code and read as data: nothing of it is evaluated. */
import { type Json, type JsonObject, setOwn } from '../../../client/protocol/model/json.js'

export interface ClientCall {
  /** Such as `collection`, with the name of one, or `users`. */
  readonly room: 'collection' | 'collections' | 'users' | 'files'
  readonly collection: string | undefined
  readonly method: string
  readonly args: readonly Json[]
}

/** The methods of each part of the client, with their arguments as they are shown. */
export const methods: { readonly [Room in ClientCall['room']]: { readonly [method: string]: string } } = {
  collection: {
    list: '({ where, sort, limit, populate })',
    get: '(id)',
    create: '({ … })',
    createMany: '([{ … }])',
    update: '(id, { … })',
    replace: '(id, { … })',
    delete: '(id)',
  },
  collections: { list: '()', get: '(name)' },
  users: { list: '({ where, sort, limit })', get: '(id)' },
  files: { list: '({ path, limit })' },
}

/** What cannot be read, and where. */
export class CallFault extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message)
  }
}

interface Reader {
  readonly text: string
  at: number
  depth: number
}

const mostDepth = 100

/** @throws {CallFault} */
export function readCall(text: string): ClientCall {
  const reader: Reader = { text, at: 0, depth: 0 }
  takeWord(reader, 'await')
  if (!takeWord(reader, 'svc')) throw fault(reader, 'A call begins with svc')
  expectSign(reader, '.')
  const room = readRoom(reader)
  const collection = room === 'collection' ? readName(reader) : undefined
  expectSign(reader, '.')
  const start = reader.at
  const method = readWord(reader)
  if (!Object.hasOwn(methods[room], method)) {
    throw new CallFault(`There is ${Object.keys(methods[room]).join(', ')}, but no "${method}" here.`, start)
  }
  expectSign(reader, '(')
  const args = readItems(reader, ')')
  take(reader, ';')
  skip(reader)
  if (reader.at < text.length) throw fault(reader, 'One call at a time')
  return { room, collection, method, args }
}

function readRoom(reader: Reader): ClientCall['room'] {
  skip(reader)
  const start = reader.at
  const room = readWord(reader)
  if (Object.hasOwn(methods, room)) return room as ClientCall['room']
  throw new CallFault(`svc has ${Object.keys(methods).join(', ')} here, but no "${room}".`, start)
}

function readName(reader: Reader): string {
  expectSign(reader, '(')
  const name = readValue(reader)
  if (typeof name !== 'string') throw fault(reader, 'The name of a collection stands in quotes')
  expectSign(reader, ')')
  return name
}

function readItems(reader: Reader, end: string): Json[] {
  const items: Json[] = []
  while (!take(reader, end)) {
    items.push(readValue(reader))
    if (!take(reader, ',')) {
      expectSign(reader, end)
      break
    }
  }
  return items
}

function readValue(reader: Reader): Json {
  skip(reader)
  if (++reader.depth > mostDepth) throw fault(reader, 'This is nested too deeply')
  const value = readPlain(reader)
  reader.depth--
  return value
}

const words: { readonly [word: string]: Json } = { true: true, false: false, null: null }

function readPlain(reader: Reader): Json {
  const { text, at } = reader
  const first = text[at] ?? ''
  if (take(reader, '{')) return readObject(reader)
  if (take(reader, '[')) return readItems(reader, ']')
  if (first === '"' || first === "'" || first === '`') return readText(reader, first)
  const [number] = /^[-+]?(?:0x[\da-f]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?)/i.exec(text.slice(at)) ?? []
  if (number !== undefined) {
    reader.at += number.length
    const value = Number(number.replaceAll('_', ''))
    if (Number.isFinite(value)) return value
    throw new CallFault('This is not a valid JSON number.', at)
  }
  const word = readWord(reader)
  if (Object.hasOwn(words, word)) return words[word] as Json
  throw new CallFault(
    word === '' ? 'A value is missing here.' : `"${word}" is not a valid value: write text in quotes.`,
    at,
  )
}

function readObject(reader: Reader): JsonObject {
  const value: JsonObject = {}
  while (!take(reader, '}')) {
    skip(reader)
    const first = reader.text[reader.at] ?? ''
    const key = first === '"' || first === "'" ? readText(reader, first) : readKey(reader)
    expectSign(reader, ':')
    setOwn(value, key, readValue(reader))
    if (!take(reader, ',')) {
      expectSign(reader, '}')
      break
    }
  }
  return value
}

function readKey(reader: Reader): string {
  const [key] = /^(?:[\p{L}_$][\p{L}\p{N}_$]*|\d+)/u.exec(reader.text.slice(reader.at)) ?? []
  if (key === undefined) throw fault(reader, 'The name of a field is missing')
  reader.at += key.length
  return key
}

const escapes: { readonly [letter: string]: string } = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' }

function readText(reader: Reader, quote: string): string {
  const start = reader.at++
  let value = ''
  for (; reader.at < reader.text.length; reader.at++) {
    const character = reader.text[reader.at] ?? ''
    if (character === quote) {
      reader.at++
      return value
    }
    if (character === '\n' && quote !== '`') break
    if (quote === '`' && reader.text.startsWith('${', reader.at)) throw fault(reader, 'Texts are not put together here')
    value += character === '\\' ? readEscape(reader) : character
  }
  throw new CallFault(`This text has no ${quote} at its end.`, start)
}

function readEscape(reader: Reader): string {
  const rest = reader.text.slice(reader.at + 1)
  const [whole, four, braced, two] = /^(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2}))/i.exec(rest) ?? []
  const code = Number.parseInt(four ?? braced ?? two ?? '', 16)
  if (whole !== undefined && code <= 0x10ffff) {
    reader.at += whole.length
    return String.fromCodePoint(code)
  }
  const letter = rest[0] ?? ''
  reader.at++
  return Object.hasOwn(escapes, letter) ? (escapes[letter] ?? '') : letter
}

function readWord(reader: Reader): string {
  skip(reader)
  const [word = ''] = /^[\p{L}_$][\p{L}\p{N}_$]*/u.exec(reader.text.slice(reader.at)) ?? []
  reader.at += word.length
  return word
}

function takeWord(reader: Reader, word: string): boolean {
  const before = reader.at
  if (readWord(reader) === word) return true
  reader.at = before
  return false
}

function take(reader: Reader, sign: string): boolean {
  skip(reader)
  if (reader.text[reader.at] !== sign) return false
  reader.at++
  return true
}

function expectSign(reader: Reader, sign: string): void {
  if (!take(reader, sign)) throw fault(reader, `"${sign}" is missing`)
}

function skip(reader: Reader): void {
  const [space = ''] = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(reader.text.slice(reader.at)) ?? []
  reader.at += space.length
}

function fault({ at }: Reader, message: string): CallFault {
  return new CallFault(`${message}.`, at)
}
