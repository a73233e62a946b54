import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { readJsonFile } from './json-file.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-seed-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

function read(text: string) {
  const file = join(folder, 'seed.json')
  writeFileSync(file, text)
  return readJsonFile(file)
}

const mistakes: readonly (readonly [text: string, line: number])[] = [
  ['', 1],
  ['\n\noops', 3],
  ['{\n"a": oops}', 2],
  ['[\n1,\n]', 3],
  ['{\n"a": 1,\n}', 3],
  ['{\n"a": 1\n"b": 2}', 3],
  ['[1,\n2 3]', 2],
  ['[1,\n{"a"}]', 2],
  ['[1,\n{a: 1}]', 2],
  ['["a\nb"]', 1],
  ['["x",\n"a\\x"]', 2],
  ['[\n01]', 2],
  ['[\n1.]', 2],
  ['{"a": [1}\n', 1],
  ['{"a": 1}\n{"b": 2}', 2],
  ['{"a": [\n1', 2],
  [']', 1],
]

test.each(mistakes)('%j stops being JSON on line %i', async (text, line) => {
  expect(() => JSON.parse(text)).toThrow()
  await expect(read(text)).rejects.toThrow(`seed.json:${line}: is not JSON`)
})

test('comments are read over, and lines stay what they are', async () => {
  const { content, plainText, findLine } = await read('{ // one\n"a": [1, /* two\n */ {"b": 2}]\n}')

  expect(content).toEqual({ a: [1, { b: 2 }] })
  expect(plainText?.split('\n')).toHaveLength(4)
  expect(findLine(['a', '1', 'b'])).toBe(3)
  expect(findLine(['a', '1', 'c', 'd'])).toBe(3)
})

test('the line of each of many documents is found without reading the text again for each', async () => {
  const { findLine } = await read(`[\n${Array.from({ length: 1_000 }, (_, n) => `{"n": ${n}}`).join(',\n')}\n]`)
  const readings = [vi.spyOn(String.prototype, 'split'), vi.spyOn(String.prototype, 'matchAll')]

  const lines = Array.from({ length: 1_000 }, (_, n) => findLine([`${n}`]))
  const times = readings.reduce((sum, { mock }) => sum + mock.calls.length, 0)

  vi.restoreAllMocks()
  expect(lines).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 2))
  expect(times).toBe(1)
})

test('"__proto__" is a field like others, and what is nested too deeply is refused', async () => {
  const { content } = await read('{"__proto__": {"a": 1}}')

  expect(JSON.stringify(content)).toBe('{"__proto__":{"a":1}}')
  await expect(read('['.repeat(1_000_000))).rejects.toThrow('seed.json:1: is nested too deeply')
})
