import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openState } from './state.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-state-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('what a process that was killed while it saved has left is removed, and not what another is saving', async () => {
  const input = { name: 'rows.ndjson', path: join(folder, 'rows.ndjson'), bytes: 8, changedAt: 0 }
  const state = await openState(folder, input, ['posts'])
  state.save({ id: 'import-1', file: 'rows.ndjson', done: 0, endByte: 0, accepted: 0, refused: 0 })
  const saved = readdirSync(folder).find((name) => name.endsWith('.json')) ?? ''
  const [own, left] = [`${saved}.${process.pid}.new`, `${saved}.2147483646.new`]
  for (const name of [own, left]) writeFileSync(join(folder, name), '{')

  await openState(folder, input, ['posts'])

  expect(readdirSync(folder)).toEqual([saved.replace('.json', `.${process.pid}.pid`), saved, own])
})
