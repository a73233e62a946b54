import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

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

test.skipIf(listed.length === 0)('each decision has a number of its own', () => {
  const numbers = listed.flatMap((file) => /^docs\/decisions\/(\d{4})-/.exec(file)?.[1] ?? [])

  expect(numbers.length).toBeGreaterThan(10)
  expect(numbers).toEqual([...new Set(numbers)])
})
