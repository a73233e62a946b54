import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { groups } from '../../mutation/groups.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const listed = existsSync(join(root, '.git'))
  ? execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  : []
const pages = listed.filter((file) =>
  /^(CONTRIBUTING|README|docs\/(architecture|dialects|decisions\/.*))\.md$/.test(file),
)

/** Files of ours, by their whole path or by its end: `store/documents.ts`. What a user has in a folder of theirs is not meant. */
function namedFiles(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|js|md))`/g)].map(([, name = '']) => name)
}

test.skipIf(listed.length === 0)('files that pages for contributors name are there', () => {
  const lost = pages.flatMap((page) =>
    namedFiles(page)
      .filter((name) => !listed.some((file) => file === name || file.endsWith(`/${name}`)))
      .map((name) => `${page}: ${name}`),
  )

  expect(pages.flatMap(namedFiles).length).toBeGreaterThan(40)
  expect(lost).toEqual([])
})

test.skipIf(listed.length === 0)('files that comments name are there', () => {
  const sources = listed.filter((file) => /^(?!templates|test\/fixtures).*\.(ts|tsx|js)$/.test(file))
  const named = sources.flatMap((file) => {
    const comments = readFileSync(join(root, file), 'utf8').match(/^\s*(\/\*|\*|\/\/).*$/gm) ?? []
    const names = comments.join('\n').matchAll(/(?<![\w@./:-])(?:[\w-]+\/)+[\w.-]+\.(?:tsx?|js|md)\b/g)
    return [...names].map(([name]) => ({ file, name }))
  })

  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ name }) => !listed.some((one) => one === name || one.endsWith(`/${name}`)))).toEqual([])
})

test.skipIf(listed.length === 0)('files of the groups of mutation are there', () => {
  const named = Object.values(groups).flatMap(({ sources, tests }) => [...sources, ...tests])

  expect(named.filter((name) => !listed.includes(name))).toEqual([])
})

test.skipIf(listed.length === 0)('no two decisions have one number', () => {
  const numbers = listed.flatMap((file) => /^docs\/decisions\/(\d{4})-/.exec(file)?.[1] ?? [])

  expect(numbers.length).toBeGreaterThan(0)
  expect(numbers.length).toBe(new Set(numbers).size)
})
