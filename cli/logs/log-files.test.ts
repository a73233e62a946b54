import { appendFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { followLogs, lastEntries } from './log-files.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-logs-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const at = (second: number) => `2030-01-01T00:00:0${second}.000Z`
const write = (file: string, second: number, text = '\n') =>
  appendFileSync(join(folder, file), JSON.stringify({ time: at(second), message: 'ä' }) + text)
const seconds = (entries: readonly { time: string }[]) => entries.map(({ time }) => Number(time[18]))

test('the last entries of both logs are in the order of their times, those that were put aside among them', () => {
  write('requests.1.log', 1)
  write('requests.log', 3)
  write('errors.log', 2)
  appendFileSync(join(folder, 'errors.log'), 'no JSON\n')

  expect(seconds(lastEntries(folder, ['requests', 'failures'], 10))).toEqual([1, 2, 3])
  expect(seconds(lastEntries(folder, ['requests', 'failures'], 2))).toEqual([2, 3])
  expect(seconds(lastEntries(folder, ['requests'], 10))).toEqual([1, 3])
})

test('no entries are the last of none', () => {
  write('requests.log', 1)

  expect(lastEntries(folder, ['requests', 'failures'], 0)).toEqual([])
})

test('who follows reads each line once, also a half one and across a file that is put aside', () => {
  write('requests.log', 1)
  const reader = followLogs(folder, ['requests', 'failures'])
  const next = () => seconds(reader.next())

  write('requests.log', 2, '')
  expect(next()).toEqual([])
  appendFileSync(join(folder, 'requests.log'), '\n')
  expect(next()).toEqual([2])
  write('errors.log', 3)
  expect(next()).toEqual([3])
  write('requests.log', 4)
  renameSync(join(folder, 'requests.log'), join(folder, 'requests.1.log'))
  write('requests.log', 5)
  expect(next()).toEqual([4, 5])
  write('requests.log', 6)
  expect(next()).toEqual([6])
  expect(next()).toEqual([])
})
