import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openInput } from '../../seeds/records/input.js'
import { type ImportState, openState } from './state.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-state-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const saved: ImportState = { id: 'import-1', file: 'rows.ndjson', done: 1, endByte: 7, accepted: 1, refused: 0 }

/** The state of importing a file that has this content and was changed in this second. */
async function createState({ name = 'rows.ndjson', content = '{"n":1}', changedAt = 1, into = ['posts'] }) {
  const path = join(folder, name)
  writeFileSync(path, content)
  utimesSync(path, changedAt, changedAt)
  return openState(join(folder, 'imports'), await openInput(path), into)
}

test.each([
  ['the same file', {}, true],
  ['a file that was changed and has as many bytes', { content: '{"n":2}', changedAt: 2 }, false],
  ['a file that has more bytes, and the time of the first', { content: '{"n":1}\n{"n":2}' }, false],
  ['a file of another name', { name: 'others.ndjson' }, false],
  ['the same file into another collection', { into: ['notes'] }, false],
])('a stopped import is resumed only for what it began with: %s', async (_, next, isResumed) => {
  const first = await createState({})
  first.save(saved)

  const { found } = await createState(next)

  expect(found).toEqual(isResumed ? saved : undefined)
})

const refusal = { line: 1, id: '', code: 'NOT_FOUND', problem: 'No document.' }

test.each<[string, object]>([
  ['is a list', [saved]],
  ['lacks its id', { ...saved, id: undefined }],
  ['lacks the name of its file', { ...saved, file: undefined }],
  ['counts what is done in text', { ...saved, done: '1' }],
  ['counts half a byte', { ...saved, endByte: 0.5 }],
  ['lacks what was accepted', { ...saved, accepted: undefined }],
  ['lacks what was refused', { ...saved, refused: undefined }],
  ['has one refusal in the place of a list', { ...saved, refusals: refusal }],
  ['has a refusal without its line', { ...saved, refusals: [refusal, { ...refusal, line: undefined }] }],
  ['has a refusal without its problem', { ...saved, refusals: [{ ...refusal, problem: undefined }] }],
  ['has a refusal that is null', { ...saved, refusals: [null] }],
])('a state is refused where it %s, and --restart ignores it', async (_, damaged) => {
  const input = { name: 'rows.ndjson', path: join(folder, 'rows.ndjson'), bytes: 8, changedAt: 0 }
  const open = (options = {}) => openState(folder, input, ['posts'], options)
  const state = await open()
  state.save(saved)
  const [name = ''] = readdirSync(folder).filter((name) => name.endsWith('.json'))
  writeFileSync(join(folder, name), JSON.stringify(damaged))

  await expect(open()).rejects.toMatchObject({ code: 'BAD_STATE', hint: expect.stringContaining('--restart') })
  expect((await open({ restart: true })).found).toBeUndefined()
})

test('what a process that was killed while it saved has left is removed, and not what another is saving', async () => {
  const input = { name: 'rows.ndjson', path: join(folder, 'rows.ndjson'), bytes: 8, changedAt: 0 }
  const state = await openState(folder, input, ['posts'])
  state.save(saved)
  const name = readdirSync(folder).find((name) => name.endsWith('.json')) ?? ''
  const [own, left] = [`${name}.${process.pid}.new`, `${name}.2147483646.new`]
  for (const name of [own, left]) writeFileSync(join(folder, name), '{')

  await openState(folder, input, ['posts'])

  expect(readdirSync(folder)).toEqual([name.replace('.json', `.${process.pid}.pid`), name, own])
})
