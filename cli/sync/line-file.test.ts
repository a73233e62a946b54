import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendLines, readLines, reversePieces, rewriteLines } from './line-file.js'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-lines-'))
  file = join(folder, 'deep', 'lines.ndjson')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a file that is not there has no lines', () => {
  expect(readLines(file)).toEqual({ values: [], isCut: false })
})

test('values are added in order, for the user alone', () => {
  appendLines(file, [{ a: 1 }, { a: 2 }])
  appendLines(file, [{ a: 'é\n' }])

  expect(readLines(file)).toEqual({ values: [{ a: 1 }, { a: 2 }, { a: 'é\n' }], isCut: false })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700)
})

test('a line that was cut is left out, and takes none that is added later with it', () => {
  appendLines(file, [{ a: 1 }])
  appendFileSync(file, '{"a":')

  expect(readLines(file)).toEqual({ values: [{ a: 1 }], isCut: true })
  appendLines(file, [{ a: 2 }])
  expect(readLines(file)).toEqual({ values: [{ a: 1 }, null, { a: 2 }], isCut: false })
})

test('all of them are replaced at once', () => {
  appendLines(file, [{ a: 1 }, { a: 2 }])
  rewriteLines(file, [{ a: 3 }])

  expect(readLines(file).values).toEqual([{ a: 3 }])
})

test('the last of its pieces comes first, and stays in its own order', () => {
  const ends = [[{ a: 1 }, { a: 'é' }], [{ b: 1 }], [{ c: 1 }, { c: 2 }]].map((piece) => {
    appendLines(file, piece)
    return statSync(file).size
  })
  reversePieces(file, ends)

  expect(readLines(file).values).toEqual([{ c: 1 }, { c: 2 }, { b: 1 }, { a: 1 }, { a: 'é' }])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
