/**
 * What tests of the dashboard click and wait for is named exactly: a text that is a part of another one is found twice once both
 * are shown, and a part that is waited to go away is never there. A part that is meant is an expression.
 */
import { readFileSync } from 'node:fs'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'

const files = globSync(['test/dashboard/*.ts', 'test/full/dashboard-*.test.ts'])
/** A call with its arguments, which hold calls themselves at most once. */
const calls = /getBy(Role|Text|Label|Title)\(((?:[^()]|\([^()]*\))*)\)/g
/** Begins with a text or a variable, not with an expression. */
const isByWords = (words: string) => /^['"`\w]/.test(words) && !words.startsWith('new RegExp')

function inexact(source: string): string[] {
  return [...source.matchAll(calls)].flatMap(([call, by, given = '']) => {
    if (/exact: true/.test(given)) return []
    const words = by === 'Role' ? /\bname(?:: | \}|, )(.*)/s.exec(given)?.[1] : given.trim()
    return words !== undefined && (words === '' || isByWords(words)) ? [call] : []
  })
}

test('tests of the dashboard name what they look for exactly', () => {
  const found = files.flatMap((file) => inexact(readFileSync(file, 'utf8')).map((call) => `${file}: ${call}`))

  expect(files.length).toBeGreaterThan(10)
  expect(found).toEqual([])
})

test('a locator by a part of a text is found', () => {
  const source = `page.getByText('Save').getByRole('button', { name }).getByRole('link', { name: 'Go', level: 1 }).getByLabel(\`a \${b()}\`)`

  expect(inexact(source)).toHaveLength(4)
  expect(inexact(`page.getByText(/Save/).getByRole('row').getByRole('link', { name: 'Go', exact: true })`)).toEqual([])
})

test('each try of such a test has a world of its own', () => {
  const tests = files.filter((file) => file.endsWith('.test.ts'))

  const shared = tests.filter((file) => /beforeAll\([\s\S]*?open(World|Dashboard)\(/.test(readFileSync(file, 'utf8')))

  expect(shared).toEqual([])
})
