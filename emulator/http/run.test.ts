import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { SvcError } from '../../client/protocol/model/errors.js'
import { aBackend, anHttpContext, emptyCaches } from '../../test/fixtures/stand-ins.js'
import type { Cache } from '../core/context.js'
import { openTurns } from './guards/turns.js'
import type { HttpContext } from './http-context.js'
import { openLog } from './logging/log.js'
import { run } from './run.js'
import type { Serve } from './stages.js'

const backend = aBackend({ caches: emptyCaches() })
const stops: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Sends a request to a server with this handler. */
async function ask(serve: Serve, parts: Partial<HttpContext> = {}, headers: Record<string, string> = {}) {
  const failures: string[] = []
  const log = openLog({ level: 'silent', folder: undefined })
  const failure = (_id: string, error: unknown) => void failures.push(String(error))
  const http = anHttpContext({ backend, log: { ...log, failure }, ...parts })
  const server = createServer((req, res) => void run(http, '*', serve, req, res))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  stops.push(() => new Promise((closed) => server.close(closed)))
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers })
  return { status: response.status, body: await response.json(), failures }
}

test('answers an error that cannot be encoded as an internal error, and logs it', async () => {
  const path: string[] = JSON.parse('null')
  const { status, body, failures } = await ask(() => {
    throw new SvcError('VALIDATION_ERROR', 'No.', [{ path, message: 'is wrong', type: 'invalid' }])
  })

  expect({ status, body }).toMatchObject({ status: 500, body: { success: false } })
  expect(JSON.stringify(body)).toContain('on our side')
  expect(failures).toEqual([expect.stringContaining('TypeError')])
})

test('logs internal errors, but not refusals', async () => {
  const broken = await ask(() => {
    throw new Error('broken')
  })
  const refused = await ask(() => {
    throw new SvcError('NOT_FOUND', 'Not here.')
  })

  expect(broken).toMatchObject({ status: 500, failures: ['Error: broken'] })
  expect(refused).toMatchObject({ status: 404, failures: [] })
})

test('contract 10.12 refuses a request whose turn does not come, and asks the busy database nothing', async () => {
  const lookedUp: string[] = []
  const callers: Cache<never> = { of: async (key) => lookedUp.push(key) as never }
  const tooLate = () => new SvcError('UNAVAILABLE', 'Later.')
  const databaseTurns = openTurns({ isBusy: () => true, patience: { maxMilliseconds: 1, tooLate } })
  const busy = { databaseTurns, backend: aBackend({ caches: { ...emptyCaches(), callers } }) }
  const neverServed: Serve = () => Promise.reject(new Error('It was served.'))

  const { status, body } = await ask(neverServed, busy, { 'x-api-key': 'svc_key_of_somebody' })

  expect({ status, body }).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } })
  expect(lookedUp).toEqual([])
})
