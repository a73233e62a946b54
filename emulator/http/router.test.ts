import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import express from 'express'
import { expect, test } from 'vitest'
import { anHttpContext } from '../../test/fixtures/stand-ins.js'
import { mountPlaces, type Respond } from './mount.js'
import { listPlaces, readingPlace } from './places.js'
import { controlRoutes } from './profiles/emulator-routes.js'
import { openRouter, type Router } from './router.js'
import { aboutRoutes } from './routes/about.js'
import { routes } from './routes/index.js'
import type { Serve } from './stages.js'
import { storedFilePath } from './stored-files.js'

// Both routers get the same paths, so they have to find the same one.

const http = anHttpContext()
const read: Serve = () => ({ status: 200, headers: {}, body: '' })
const places = [
  ...listPlaces(http, [...routes, ...controlRoutes, ...aboutRoutes(routes, controlRoutes, '0.0.0')]),
  readingPlace(http, storedFilePath, read),
]

/** Answers with the path that was found, and whether it was served or refused. */
const respond: Respond = async (pattern, serve, req, res) => {
  const place = places.find(({ path }) => path === pattern)
  const method = [...(place?.methods ?? [])].find(([, own]) => own === serve)?.[0]
  const found = { pattern, method: method ?? 'others', params: { ...req.params } }
  res.setHeader('found', encodeURIComponent(JSON.stringify(found))).end()
}

const router: Router = openRouter(places, ['/_svc/idp'], respond)
const app = express().disable('x-powered-by').set('case sensitive routing', true)
app.set('query parser', false)
mountPlaces(app, places, respond)
app.use((_req, res) => void res.setHeader('found', 'nothing').end())
app.use((_error: unknown, _req: unknown, res: ServerResponse, _next: unknown) => {
  res.setHeader('found', 'nothing').end()
})

let routed = 0
const byRouter: RequestListener = (req, res) => {
  if (router(req, res)) routed += 1
  else app(req, res)
}

const socket = new Socket()
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'SEARCH']

/** Values for path parameters: an id, words of other paths, and odd or escaped ones. */
const values = [
  '0190f3a2-77aa-7000-8000-000000000000',
  'batch',
  'documents',
  'sse',
  'a%20b',
  '%2e',
  'a.b;c',
  "x'y",
  '%',
  '..',
]

const plain = places.flatMap(({ path }) => (path.includes(':') ? [] : [path]))
const withParameters = places.flatMap(({ path }) => (path.includes(':') ? [path] : []))

/** Odd or escaped paths are left to Express. */
const leftToExpress = /[%;]/

test.each([
  { value: 'no parameters', paths: plain },
  ...values.map((value) => ({ value, paths: withParameters.map((path) => path.replaceAll(/:\w+/g, value)) })),
])('the tree finds what Express finds, for every method at every path with $value', async ({ value, paths }) => {
  const asked = [...new Set(paths)].flatMap((path) => [path, `${path}/`, `${path}?a=/b#c`, `${path}//`])
  const routedBefore = routed

  const differing: string[] = []
  for (const path of asked) {
    const answers = await Promise.all(methods.map((method) => bothWays(method, path)))
    for (const [index, { express, tree }] of answers.entries()) {
      if (tree !== express) differing.push(`${methods[index]} ${path}: ${tree} for ${express}`)
    }
  }

  expect(differing).toEqual([])
  if (leftToExpress.test(value)) expect(routed).toBe(routedBefore)
  else expect(routed - routedBefore).toBeGreaterThan(paths.length * 7)
})

test.each([
  '/',
  '//',
  '/Collections/posts',
  '/collections//posts',
  '/collections/',
  '/%63ollections',
  '/collections/%zz',
  '/collections/a#b',
  '/nothing/at/all',
  `/collections/${'x'.repeat(500)}`,
  '/collections/posts/documents/../x',
  'http://localhost/collections',
  '*',
])('the tree finds what Express finds at %j', async (path) => {
  for (const method of methods) {
    const { express, tree } = await bothWays(method, path)
    expect(`${method} ${tree}`).toBe(`${method} ${express}`)
  }
})

test.each(['/_svc/idp', '/_svc/idp/authorize', '/_svc/idp-x'])(
  '%s belongs to an app, which Express hands it to',
  (url) => {
    expect(router({ method: 'GET', url } as IncomingMessage, {} as ServerResponse)).toBe(false)
  },
)

test('leaves every path below an app to that app, even if another record matches', () => {
  const nobody: Respond = async () => undefined
  const [alone, beside] = [openRouter(places, [], nobody), openRouter(places, ['/collections'], nobody)]
  const ask = (route: Router, url: string) => route({ method: 'GET', url } as IncomingMessage, {} as ServerResponse)

  for (const url of ['/collections', '/collections/posts', '/collections/posts?a=b']) {
    expect([url, ask(alone, url), ask(beside, url)]).toEqual([url, true, false])
  }
})

async function bothWays(method: string, path: string) {
  const [express, tree] = await Promise.all([ask(app, method, path), ask(byRouter, method, path)])
  return { express, tree }
}

/** Calls the listener without a connection, since the path goes through one unchanged. */
function ask(listener: RequestListener, method: string, url: string): Promise<unknown> {
  const req = Object.assign(new IncomingMessage(socket), { method, url })
  const res = new ServerResponse(req)
  return new Promise((resolve) => {
    res.end = () => {
      resolve(res.getHeader('found'))
      return res
    }
    listener(req, res)
  })
}
