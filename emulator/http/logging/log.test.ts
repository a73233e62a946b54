import fs from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DatabaseError } from '../../database/port.js'
import { openLog } from './log.js'

let folder: string
let said: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-log-'))
  said = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text)
    return true
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true, force: true })
})

const read = (name: string) => readFile(join(folder, name), 'utf8')

test('contract 10.6 logs a failure in one line and saves it completely, readable only by its owner, even if requests are not logged', async () => {
  const log = openLog({ level: 'silent', folder })

  log.failure(
    'request-1',
    new Error('Something\u001b[2J broke', { cause: new DatabaseError('no such column', '42703') }),
  )

  expect(said).toContain(`svc: failed (request-1): Error: Something [2J broke More: ${folder}`)
  expect(said.split('\n')).toHaveLength(2)
  const entry = JSON.parse(await read('errors.log'))
  expect(entry).toMatchObject({
    requestId: 'request-1',
    message: 'Something\u001b[2J broke',
    cause: { name: 'DatabaseError', code: '42703', message: 'no such column' },
  })
  expect(entry.stack[0]).toMatch(/^at .*log\.test\.ts/)
  expect((await stat(join(folder, 'errors.log'))).mode & 0o077).toBe(0)
})

test('contract 10.6 logs and saves a failure if requests are logged too', async () => {
  const write = (_fd: number, text: string, ...more: ((error: null, size: number) => void)[]) => {
    said += text
    more.at(-1)?.(null, Buffer.byteLength(text))
  }
  vi.spyOn(fs, 'write').mockImplementation(write as never)

  openLog({ level: 'info', folder }).failure('request-1', new Error('Something broke'))

  expect(JSON.parse(said)).toMatchObject({ requestId: 'request-1', error: { message: 'Something broke' } })
  expect(JSON.parse(await read('errors.log'))).toMatchObject({ requestId: 'request-1', message: 'Something broke' })
})

test.each([
  ['a key', new Error('svc_key_abcDEF123 was sent'), 'abcDEF123'],
  ['a secret key', new Error('svc_secret_abcDEF123'), 'abcDEF123'],
  ['a token', new Error('bad eyJhbGciOi.eyJzdWIi.c2lnbmF0'), 'c2lnbmF0'],
  ['a hash', new Error('$2b$12$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOP'), 'abcdefghij'],
  ['a password in an address', new Error('postgres://me:hunter2@host/db'), 'hunter2'],
  ['an email', new Error('duplicate ada@example.com'), 'ada@'],
  [
    'what PostgreSQL could not read',
    new DatabaseError('invalid input syntax for type uuid: "hunter2"', '22P02'),
    'hunter2',
  ],
  ['what was not JSON', new SyntaxError('Unexpected token h, "hunter2" is not valid JSON'), 'hunter2'],
  ['what caused it', new Error('outer', { cause: new Error('svc_secret_abcDEF123') }), 'abcDEF123'],
])('contract 10.6 masks %s in the log', async (_, error, secret) => {
  openLog({ level: 'silent', folder }).failure('request-1', error)

  expect(said + (await read('errors.log'))).not.toContain(secret)
})

test('rotates the file of failures when it is full, and keeps at most two', async () => {
  const log = openLog({ level: 'silent', folder, maxBytes: 4_000 })

  for (let n = 0; n < 20; n++) log.failure(`request-${n}`, new Error('broken'))

  expect((await stat(join(folder, 'errors.log'))).size).toBeLessThanOrEqual(4_000)
  expect((await stat(join(folder, 'errors.1.log'))).size).toBeLessThanOrEqual(4_000)
  expect(await read('errors.log')).toContain('request-19')
})

test('loses the line but not the request if the folder is not writable', () => {
  const log = openLog({ level: 'silent', folder: join(folder, 'gone') })

  log.failure('request-1', new Error('broken'))

  expect(said).toContain('request-1')
})

test('buffers lines that cannot be written, drops those over the limit, and then reports how many', async () => {
  let isFull = true
  const write = (_fd: number, text: string, ...more: ((error: Error | null, size?: number) => void)[]) => {
    if (isFull) return more.at(-1)?.(Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
    said += text
    more.at(-1)?.(null, Buffer.byteLength(text))
  }
  vi.spyOn(fs, 'write').mockImplementation(write as never)
  const log = openLog({ level: 'info', folder: undefined })

  log.warn('first')
  for (let n = 0; n < 3; n++) log.warn('x'.repeat(1_048_576))
  isFull = false
  log.warn('last')

  const lines = said.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'first',
    'last',
    'Could not write to standard error: 3 log lines were lost.',
  ])
})
