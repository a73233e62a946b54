import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { openAddressFile } from './address-file.js'

const url = 'postgres://svc:former@one:5432,two:5432/svc?sslmode=require'

let path: string
let warned: string[]
let current: () => string
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-address-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  path = join(folder, 'address')
  warned = []
  await writeFile(path, url)
  current = openAddressFile(url, path, (words) => warned.push(words)).current
})

it.each([
  'postgres://svc:other@one:5432,two:5432/svc?sslmode=require',
  'postgres://other:other%40%2F@one:5432,two:5432/svc?sslmode=require',
  'postgresql://one:5432,two:5432/svc?user=other&sslmode=require&password=other',
])('takes the user and password of %s', async (text) => {
  await writeFile(path, `${text}\n`)

  expect([current(), warned]).toEqual([text, []])
})

it.each([
  ['another server', 'postgres://svc:other@one:5432,three:5432/svc?sslmode=require', 'does not name the server'],
  ['another database', 'postgres://svc:other@one:5432,two:5432/other?sslmode=require', 'does not name the server'],
  ['another option', 'postgres://svc:other@one:5432,two:5432/svc?sslmode=disable', 'does not name the server'],
  ['no address', 'other', 'does not name the server'],
  ['nothing', '\n', 'is empty'],
])('goes on with the latest user and password where the file has %s, and warns once', async (_, text, words) => {
  const rotated = url.replace('former', 'rotated')
  await writeFile(path, rotated)
  const before = current()
  await writeFile(path, text)

  const during = [current(), current()]
  await writeFile(path, url.replace('former', 'later'))

  expect([before, ...during, current()]).toEqual([rotated, rotated, rotated, url.replace('former', 'later')])
  expect(warned).toEqual([expect.stringContaining(`${path} ${words}`)])
  expect(warned.join()).not.toMatch(/other|former|rotated/)
})

it('goes on where the file is gone, and warns each time that it goes', async () => {
  const told = []
  for (const _ of [1, 2]) {
    await rm(path)
    told.push(current(), current())
    await writeFile(path, url)
    told.push(current())
  }

  expect(new Set(told)).toEqual(new Set([url]))
  expect(warned).toEqual(Array(2).fill(expect.stringContaining('cannot be read (ENOENT)')))
})
