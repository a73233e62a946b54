/** Every section of the notes about the deployed service has facts, and every fact a test that exists, or a reason. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { files, sections } from '../fixtures/deployed/facts.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const lastSection = 17

it('has facts of each section', () => {
  expect(Object.keys(sections)).toEqual(Array.from({ length: lastSection }, (_, at) => String(at + 1)))
  expect(Object.values(sections).filter(({ facts }) => facts.length === 0)).toEqual([])
})

it('names tests that exist', async () => {
  const read = async ([name, path]: [string, string]) => [name, await readFile(`${root}${path}`, 'utf8')] as const
  const texts = new Map(await Promise.all(Object.entries(files).map(read)))
  const shown = Object.values(sections).flatMap(({ facts }) =>
    facts.flatMap(([, test]) => (typeof test === 'string' ? [test] : [])),
  )

  const missing = shown.filter((test) => {
    const [, file = '', title = ''] = /^(\w+): (.*)$/s.exec(test) ?? []
    return !texts.get(file)?.includes(`'${title}`)
  })
  expect(missing).toEqual([])
  expect([...texts.keys()].filter((file) => !shown.some((test) => test.startsWith(`${file}: `)))).toEqual([])
})
