import { describe, expect, it, vi } from 'vitest'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { parseInSteps, parseJsonBytes } from './parse-steps.js'

const wide = (item: string, count: number) => Array.from({ length: count }, () => item).join()
const texts = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":"é\\"},{\\\\${at}"`).join()

/** Larger than one piece, so that they are parsed in steps. */
const bodies: [what: string, text: string][] = [
  ['many empty objects', `{"a":[${wide('{}', 60_000)}]}`],
  ['many keys', `{${texts(9_000)}}`],
  [
    'large members between small ones',
    `{"a":1,"b":[${wide('"x"', 40_000)}],"c":{${texts(4_000)}},"d":[[${wide('1', 90_000)}]]}`,
  ],
  ['a large member first and last', `[[${wide('1', 90_000)}],2,{"x":[${wide('{"y":[1,2]}', 9_000)}]}]`],
  ['one long text', `{"a":"${'\\u00e9x'.repeat(40_000)}"}`],
  [
    'space around everything',
    ` {\n"a" :\t[ ${wide(' { } ', 20_000)} ] , "b" : [ ] ,"c": { "d" : ${' '.repeat(90_000)} 1 } } \r\n`,
  ],
  ['nothing in much space', `{"a":[${' '.repeat(90_000)}],"b":{${' '.repeat(90_000)}}}`],
  [
    'a name twice, and names of old',
    `{"a":[${wide('1', 90_000)}],"__proto__":{"x":[${wide('2', 90_000)}]},"a":2,"constructor":3}`,
  ],
  ['an escaped name', `{"\\u0061\\"b":[${wide('1', 90_000)}]}`],
  ['a number, at the top', '5'],
]

describe('a body that is parsed in pieces', () => {
  it.each(bodies)('equals the result of JSON.parse: %s', async (_what, text) => {
    const value = await parseInSteps(Buffer.from(text))

    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)))
  })

  it('is refused wherever JSON.parse refuses it', async () => {
    const small = '{"b":[1,{"c":[]},"x"],"d":null}'
    const pad = (text: string) =>
      text.replace('1,{', `${wide('123456789', 7_000)},{`).replace('null', `[${wide('"abcdefgh"', 7_000)}]`)
    const marks = ['', ',', '[', ']', '{', '}', '"', ':', '\\', 'x', ' 1']

    for (let at = 0; at <= small.length; at++) {
      for (const mark of marks) {
        const text = pad(small.slice(0, at) + mark + small.slice(at + (mark === '' ? 1 : 0)))
        const shown = text.length < 200 ? text : at

        expect({ shown, mark, fails: await failsInSteps(text) }).toEqual({ shown, mark, fails: fails(text) })
      }
    }
  })

  it('contract 10.10 gives way to others after each piece', async () => {
    const text = `{"documents":[${wide(`{"a":[${wide('{}', 1_000)}]}`, 300)}]}`
    let [turns, isDone] = [0, false]
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }

    setImmediate(count)
    await parseInSteps(Buffer.from(text))
    isDone = true

    expect(turns).toBeGreaterThan(text.length / (2 * 64 * 1024))
  })
})

describe('a body is parsed', () => {
  const few = (bytes: number) => ({ text: `["${'x'.repeat(bytes - 4)}",[]]`, values: 2 })
  const many = (bytes: number) => ({ text: `[${wide('0', bytes / 2)}]`, values: bytes / 2 })

  it.each([
    ['whole up to 256 KB', many(256 * 1024 - 2), true],
    ['in steps beyond, if it has many values', many(256 * 1024 + 2), false],
    ['whole beyond, if it has few', few(1024 * 1024 - 4), true],
    ['in steps beyond 1 MB', few(1024 * 1024 + 1), false],
  ])('%s', async (_how, { text, values }, isWhole) => {
    const parse = vi.spyOn(JSON, 'parse')

    await parseJsonBytes(Buffer.from(text), values)
    const asked = parse.mock.calls.map(([piece]) => piece)
    parse.mockRestore()

    expect(asked.includes(text)).toBe(isWhole)
  })
})

function fails(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

async function failsInSteps(text: string): Promise<boolean> {
  try {
    await parseInSteps(Buffer.from(text))
    return false
  } catch (error) {
    expect(error).toBeInstanceOf(SvcError)
    return true
  }
}
