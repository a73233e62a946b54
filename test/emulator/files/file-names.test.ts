/** Valid names and paths of files, as tables; over the wire it is tested by test/conformance/files. Contract 8.2. */
import { expect, test } from 'vitest'
import { sizes } from '../../../client/protocol/model/limits.js'
import { fileUrl, requireFileName, requireFolder } from '../../../emulator/core/files/file-names.js'

const longestName = 'a'.repeat(sizes.maxFileNameBytes)
const longestPath = 'a'.repeat(sizes.maxPathBytes)
const invalid = (message: unknown) => expect.objectContaining({ code: 'INVALID_PATH', message })

test.each([
  ['a.txt', 'a.txt'],
  ['../../x', 'x'],
  ['..\\..\\x', 'x'],
  ['a/\n/x', 'x'],
  ['a\nb/x', 'x'],
  ['...', '...'],
  ['.a', '.a'],
  ['e\u0301', '\u00e9'],
  [longestName, longestName],
])('a file that is sent as %j is called %j', (sent, name) => {
  expect(requireFileName(sent)).toBe(name)
})

test.each([
  ['', '"" is not a valid file name.'],
  ['a/', '"a/" is not a valid file name.'],
  ['a/.', '"a/." is not a valid file name.'],
  ['..', '".." is not a valid file name.'],
  [`${'\u0001'.repeat(90)}/`, `"${'\ufffd'.repeat(80)}" is not a valid file name.`],
  [`${longestName}a`, expect.stringContaining('too long')],
  ['a\u0001b', expect.stringContaining('control characters')],
  ['a\ud800', expect.stringContaining('control characters')],
])('a file cannot be called %j', (sent, message) => {
  expect(() => requireFileName(sent)).toThrow(invalid(message))
})

test.each([
  ['', ''],
  ['a', 'a'],
  ['a/', 'a'],
  ['a/b c/d_e-f.g', 'a/b c/d_e-f.g'],
  ['\u00e4\u0301 5', '\u00e4\u0301 5'],
  ['...', '...'],
  ['.a/a..', '.a/a..'],
  [longestPath, longestPath],
  [`${longestPath}/`, longestPath],
])('a folder that is sent as %j is kept as %j', (sent, path) => {
  expect(requireFolder(sent)).toBe(path)
})

test.each(['/', '/a', 'a//b', 'a//', '.', '..', 'a/..', 'a/./b', 'a\\b', 'a!', '!a', 'a\nb', 'a:b'])(
  'a folder cannot be %j',
  (sent) => {
    expect(() => requireFolder(sent)).toThrow(invalid(expect.stringContaining('is not a valid folder')))
  },
)

test('a folder that is too long is refused as that', () => {
  const message = `Folder is too long (max ${sizes.maxPathBytes.toLocaleString('en')} bytes).`
  expect(() => requireFolder(`${longestPath}a`)).toThrow(invalid(message))
})

test('a file is read at its id and its name', () => {
  expect(fileUrl({ reachedAt: () => 'http://h' }, { id: '1', name: 'a b.txt' })).toBe('http://h/files/1/a%20b.txt')
})
