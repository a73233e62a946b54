/** Prints each requirement beside the tests that carry its id. Exits with 1 if one has none. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The numbered statements of the contract that have tests of their own, beside the rows. */
const statements = `1 2.1 2.2 2.3 2.4 2.5 2.6 3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8
  5.1 5.2 5.3 5.4 6.1 6.2 6.3 6.4 6.5 6.6 6.7 6.8 6.9 6.10 6.11 6.12 7.1 7.2 7.3 7.4 7.5 7.6 8.1 8.2 8.3 8.4
  9.1 9.2 9.3 9.4 9.5 9.6 10.1 10.2 10.3 10.4 10.5 10.6 10.7 10.8 10.9
  10.10 10.11 10.12 10.13 12.1 12.2 12.3 12.4 12.5`.split(/\s+/)

const tests = findTests()
const rows = [
  ...readFileSync(join(root, 'docs', 'requirements.md'), 'utf8').matchAll(/^\| ([A-Z]{3}-\d\d) +\| (.+) \|$/gm),
]
const missing = [
  ...rows.map(([, id = '', text = '']) => print(id, text)),
  ...statements.map((number) => print(`contract ${number}`, '')),
].filter((id) => id !== undefined)

console.log(`\n${rows.length} rows, ${statements.length} statements of the contract, ${missing.length} without a test`)
if (missing.length > 0) {
  console.error(`Without a test: ${missing.join(', ')}`)
  process.exitCode = 1
}

/**
 * One requirement and its tests; its id, if it has none.
 *
 * @param {string} id
 * @param {string} text
 */
function print(id, text) {
  const carrying = tests.filter((test) => test.id === id)
  console.log(`\n${id.padEnd(13)} ${text.trim()}`.trimEnd())
  for (const { file, title } of carrying) console.log(`${' '.repeat(14)}${file}: ${title}`)
  if (carrying.length > 0) return undefined
  console.log(`${' '.repeat(14)}NO TEST`)
  return id
}

/** Every text in a test file that begins with ids is a title, or the row of a table that becomes one. */
function findTests() {
  const titled = /(['"`])((?:(?:[A-Z]{3}-\d\d|contract [\d.]+) )+)(.+?)\1/g
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:test|cases)\.ts$/.test(file))
    .sort()
    .flatMap((name) => {
      const file = name.replaceAll('\\', '/')
      return [...readFileSync(join(root, 'test', name), 'utf8').matchAll(titled)].flatMap(
        ([, , ids = '', title = '']) =>
          (ids.match(/[A-Z]{3}-\d\d|contract [\d.]+/g) ?? []).map((id) => ({ id, title, file })),
      )
    })
}
