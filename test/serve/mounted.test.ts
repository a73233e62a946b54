/** Security 20: what `svc serve` mounts, by what it answers and by what it loads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { controlPath, operations } from '../../client/protocol/control/operations.js'
import { routes } from '../../emulator/http/routes/index.js'
import { filesOf, importsOf, reachedFrom } from '../fixtures/packages/imports.js'
import { openServeWorld, type ServeWorld, type Serving } from '../fixtures/serve.js'

/** All of the control API that is mounted there. */
const administered = [
  'GET /projects',
  'DELETE /projects/:project',
  'GET /projects/:project',
  'PATCH /projects/:project',
  'POST /projects',
  'GET /projects/:project/keys',
  'POST /projects/:project/keys',
  'DELETE /projects/:project/keys/:key',
  'GET /projects/:project/audit',
  'GET /projects/:project/collections/:collection/documents/:document/creator',
  'PUT /projects/:project/collections/:collection/documents/:document/creator',
  'POST /projects/:project/collections/:collection/rights',
  'GET /projects/:project/users',
  'POST /projects/:project/users',
  'PATCH /users/:user',
  'DELETE /users/:user',
  'POST /users/:user/token',
  'DELETE /users/:user/sessions',
  'GET /users/:user/sessions',
  'DELETE /users/:user/sessions/:session',
]

let world: ServeWorld
let serving: Serving
beforeAll(async () => {
  world = await openServeWorld()
  serving = await world.start()
})
afterAll(() => world.close())

describe('the port of apps', () => {
  it('serves the API as it is described, and nothing of the control API', async () => {
    const own = routes.flatMap(({ method, paths }) =>
      Object.values(paths)
        .flat()
        .map((path) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    )

    const { paths } = await described(`${serving.url}/openapi.json?dialect=a`)

    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((name) => `${name} ${path}`),
    )
    expect(served.length).toBeGreaterThan(50)
    expect(served.filter((place) => !own.includes(place))).toEqual([])
    expect(Object.keys(paths).filter((path) => path.startsWith('/_svc'))).toEqual([])
  })

  it.each(['/_svc/', '/_svc', '/_svc/openapi.json', '/_svc/idp/authorize', '/_svc/login-complete', '/metrics'])(
    'has nothing at %s',
    async (path) => {
      expect((await fetch(serving.url + path)).status).toBe(404)
    },
  )

  it('opens no pages of this machine: an origin has to be allowed by a project', async () => {
    const { apiKey } = await serving.newProject({ allowedOrigins: ['https://app.example'] })
    const from = async (origin: string) => {
      const response = await fetch(`${serving.url}/collections`, { headers: { origin, 'x-api-key': apiKey } })
      return [response.status, response.headers.get('access-control-allow-origin')]
    }

    expect(await from('http://localhost:5173')).toEqual([403, null])
    expect(await from('https://app.example')).toEqual([200, 'https://app.example'])
  })

  it('lifts refusals for the settings of a project, and not for a request', async () => {
    const ask = async (settings: object, dialect: string) => {
      const { apiKey } = await serving.newProject(settings)
      const account = { email: 'nobody@example.com', password: 'Correct4Horse' }
      const response = await fetch(`${serving.url}/auth-collections/login`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'svc-dialect': dialect },
        body: JSON.stringify(account),
      })
      return [response.status, response.headers.get('svc-error-code')]
    }

    expect(await ask({ dialect: 'd' }, 'd, refusals=deployed')).toEqual([400, 'INVALID_DIALECT'])
    expect(await ask({ dialect: 'd' }, 'd')).toEqual([401, 'INVALID_CREDENTIALS'])
    expect(await ask({ dialect: 'd, refusals=deployed' }, 'list=array')).toEqual([404, 'INVALID_CREDENTIALS'])
  })

  it('answers under its own names only, and probes under any', async () => {
    const { status } = await asHost(serving.url, '/collections', 'evil.example')
    const probe = await asHost(serving.url, '/readyz', '10.0.0.7:4400')

    expect([status, probe.status]).toEqual([403, 200])
  })
})

describe('the admin port', () => {
  it('has projects, users, keys, the audit log and creators of documents, and nothing else', async () => {
    const places = placesOf(operations)
    const { paths } = await described(`${serving.adminUrl}/_svc/openapi.json`)
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((name) => `${name.toUpperCase()} ${path.replace(controlPath, '')}`),
    )

    expect(served.map((place) => place.replaceAll(/\{(\w+)\}/g, ':$1')).sort()).toEqual([...administered].sort())
    for (const place of places.filter((place) => !administered.includes(place))) {
      const [method = '', path = ''] = place.split(' ')
      const { status } = await serving.request(method, path.replaceAll(/:\w+/g, 'x'))
      expect([place, status === 404 || status === 405]).toEqual([place, true])
    }
  })

  it('opens nothing without the token, and nothing of the API of apps', async () => {
    const open = (headers: Record<string, string>) =>
      fetch(`${serving.adminUrl}/_svc/api/projects`, { method: 'POST', headers, body: '{}' })

    expect((await open({})).status).toBe(401)
    expect((await open({ 'svc-control-token': 'wrong' })).status).toBe(401)
    expect((await open({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await fetch(`${serving.adminUrl}/collections`)).status).toBe(404)
  })
})

it('loads nothing of what is for development', () => {
  const sources = filesOf('client', 'emulator', 'seeds').filter((file) => !/\.test\.ts$/.test(file))
  const loaded = sources.flatMap((file) => importsOf(file, sources)).filter(({ isOfTypes }) => !isOfTypes)

  const reached = [...reachedFrom(['emulator/serving/serve.ts'], loaded)]

  expect(reached).toContain('emulator/http/profiles/admin-routes.ts')
  const development =
    /^emulator\/(idp\/local\/|pages\/mounts|http\/profiles\/emulator|ports\/mail\/mailbox|folder-keys|dev|testing|open-service)/
  expect(reached.filter((file) => development.test(file))).toEqual([])
  expect(reached.filter((file) => file.startsWith('emulator/http/control/')).sort()).toEqual([
    'emulator/http/control/access/audit.ts',
    'emulator/http/control/access/creators.ts',
    'emulator/http/control/access/keys.ts',
    'emulator/http/control/access/rights.ts',
    'emulator/http/control/control-routes.ts',
    'emulator/http/control/projects.ts',
    'emulator/http/control/users.ts',
  ])
})

interface Described {
  readonly paths: Readonly<Record<string, object>>
}

async function described(address: string): Promise<Described> {
  return (await (await fetch(address)).json()) as Described
}

type Tree = { readonly [name: string]: string | Tree }

function placesOf(tree: Tree): string[] {
  return Object.values(tree).flatMap((place) => (typeof place === 'string' ? [place] : placesOf(place)))
}

/** `fetch` sends the address's own `Host`, whatever its headers. */
async function asHost(url: string, path: string, host: string): Promise<{ status: number }> {
  const { get } = await import('node:http')
  return new Promise((resolve, reject) => {
    get(url + path, { headers: { host } }, (res) => {
      res.resume()
      resolve({ status: res.statusCode ?? 0 })
    }).on('error', reject)
  })
}
