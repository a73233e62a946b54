/** Cases that the fuzzer of `test/reliability/fuzz` found in the control API. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { formOf } from '../../fixtures/requests/form.js'
import { send } from '../../fixtures/requests/http.js'

interface Described {
  readonly parameters: readonly {
    readonly in: string
    readonly name: string
    readonly schema: { readonly type?: string }
  }[]
  readonly responses: Readonly<Record<string, unknown>>
}

let emulator: Emulator
let operations: (Described & { method: string; path: string })[]
beforeAll(async () => {
  emulator = await startEmulator({ memory: true })
  const { body } = await send(emulator.url, { method: 'GET', path: '/openapi.json' })
  const { paths } = body as { paths: Record<string, Record<string, Described>> }
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  )
})
afterAll(() => emulator.close())

const ask = (method: string, path: string, form = formOf()) => {
  const headers = { 'svc-control-token': emulator.controlToken, ...form.headers }
  return send(emulator.url, method === 'GET' ? { method, path, headers } : { method, path, headers, body: form.body })
}

it('a number of a query that is none, is less than zero or no whole one is refused', async () => {
  const numeric = operations.flatMap(({ method, path, parameters }) =>
    path.startsWith('/_svc/') && method === 'GET'
      ? parameters.filter(({ schema }) => schema.type === 'integer').map(({ name }) => ({ path, name }))
      : [],
  )
  for (const { path, name } of numeric) {
    for (const value of ['x', '-1', '6.28e-274', '1e400', '99999999999999999999']) {
      const answer = await ask('GET', `${path.replaceAll(/\{\w+\}/g, 'x')}?${name}=${value}`)
      expect(answer.headers['svc-error-code'], `${path}?${name}=${value}`).toBe('INVALID_QUERY')
    }
  }
  expect(numeric.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['before', 'limit', 'from', 'statement', 'last']),
  )
})

it('a form for a project whose name the database cannot hold is 404', async () => {
  expect((await ask('POST', '/_svc/api/projects/%00/seeds')).status).toBe(404)
})

it('contract 10.3 what a path names may be missing: each such operation says so', () => {
  const silent = operations.filter(({ path, responses }) => path.includes('{') && !('404' in responses))

  expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})
