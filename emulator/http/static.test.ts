import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aBackend, anHttpContext, emptyCaches } from '../../test/fixtures/stand-ins.js'
import { openHostCheck } from './guards/origins.js'
import { openLog } from './logging/log.js'
import { mountFolders } from './static.js'

const backend = aBackend({ caches: emptyCaches() })
const failures: string[] = []
const http = anHttpContext({
  backend,
  log: {
    ...openLog({ level: 'silent', folder: undefined }),
    failure: (_id, error) => void failures.push(String(error)),
  },
  requireHost: openHostCheck([]),
})
const app = express()
const server = createServer(app)
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-static-'))
  const files = {
    'app/index.html': '<h1>App</h1>',
    'app/about/index.html': '<h1>About</h1>',
    'app/assets/main.js': 'shadowed',
    'app/.env': 'secret',
    'built/main.js': '0123456789',
    'docs/index.html': '<h1>Docs</h1>',
    'secret.txt': 'secret',
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await symlink(join(folder, 'secret.txt'), join(folder, 'app', 'link.txt'))
  await symlink(folder, join(folder, 'app', 'out'))
  const page = { path: '/app', folder: join(folder, 'app'), cacheControl: 'no-cache', isSinglePage: true }
  const assets = { path: '/app/assets', folder: join(folder, 'built'), cacheControl: 'max-age=31536000, immutable' }
  const docs = { path: '/docs', folder: join(folder, 'docs'), cacheControl: 'no-cache' }
  mountFolders(app, http, [
    { ...page, contentSecurityPolicy: "default-src 'self'" },
    { ...docs, contentSecurityPolicy: "default-src 'self'" },
    { ...assets, contentSecurityPolicy: "default-src 'none'" },
    { ...docs, path: '/gone', folder: join(folder, 'gone'), contentSecurityPolicy: "default-src 'none'" },
  ])
  app.use((_req, res) => void res.writeHead(404).end('the rest'))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})

afterAll(async () => {
  await new Promise((closed) => server.close(closed))
  await rm(folder, { recursive: true })
})

interface Got {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Sends paths unchanged: `fetch` would resolve the dots. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, text }))
    })
    req.on('error', reject).end()
  })
}

const html = { accept: 'text/html' }

test("serves a file from the folder with the longer path, with that folder's policy", async () => {
  const [page, script] = [await ask('/app/'), await ask('/app/assets/main.js')]

  expect([page.status, page.text]).toEqual([200, '<h1>App</h1>'])
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'self'",
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  })
  expect([script.status, script.text]).toEqual([200, '0123456789'])
  expect(script.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'max-age=31536000, immutable',
  })
})

test('looks for a file only below the longer path, without a page as a fallback', async () => {
  expect(await ask('/app/assets/index.html', html)).toMatchObject({ status: 404 })
  expect(await ask('/app/assets/old.js', html)).toMatchObject({ status: 404 })
})

test('serves the index of a single-page app for unknown pages, and for nothing else', async () => {
  expect(await ask('/app/users/7?tab=1', html)).toMatchObject({ status: 200, text: '<h1>App</h1>' })
  expect(await ask('/app/about', html)).toMatchObject({ status: 200, text: '<h1>About</h1>' })
  expect(await ask('/app/missing.png', { accept: 'image/*' })).toMatchObject({ status: 404 })
  expect(await ask('/application', html)).toMatchObject({ text: 'the rest' })
})

test('serves no fallback page for a folder of many pages', async () => {
  expect(await ask('/docs/', html)).toMatchObject({ status: 200, text: '<h1>Docs</h1>' })
  expect(await ask('/docs/missing', html)).toMatchObject({ status: 404 })
})

test('reports and logs a missing folder without revealing its path', async () => {
  const answer = await ask('/gone/', html)

  expect(answer).toMatchObject({ status: 404, text: expect.stringContaining('are missing in this installation') })
  expect(answer.text).not.toContain(folder)
  expect(failures).toEqual([expect.stringContaining(join(folder, 'gone'))])
})

test('answers 304 to a browser that has a file, and serves parts of it', async () => {
  const { etag, 'last-modified': modified } = (await ask('/app/assets/main.js')).headers

  expect(await ask('/app/assets/main.js', { 'if-none-match': String(etag) })).toMatchObject({ status: 304, text: '' })
  expect(await ask('/app/assets/main.js', { 'if-modified-since': String(modified) })).toMatchObject({ status: 304 })
  expect(await ask('/app/assets/main.js', { range: 'bytes=2-4' })).toMatchObject({
    status: 206,
    text: '234',
    headers: { 'content-range': 'bytes 2-4/10' },
  })
  expect(await ask('/app/assets/main.js', { range: 'bytes=20-' })).toMatchObject({
    status: 416,
    headers: { 'content-range': 'bytes */10', 'svc-error-code': 'INVALID_RANGE' },
  })
  expect(await ask('/app/assets/main.js', {}, 'HEAD')).toMatchObject({ status: 200, text: '' })
})

test.each([
  '/app/../secret.txt',
  '/app/%2e%2e/secret.txt',
  '/app/..%2fsecret.txt',
  '/app/about/..%5c..%5c..%5csecret.txt',
  '/app/link.txt',
  '/app/out/secret.txt',
  '/app/.env',
  '/app/%2eenv',
  '/app/index.html%00.txt',
  '/app/%',
])('%s cannot leave the folder', async (path) => {
  const { status, text } = await ask(path)

  expect(text).not.toBe('secret')
  expect(status).toBe(404)
})

test('refuses other methods and other hosts for a file', async () => {
  const posted = await ask('/app/', {}, 'POST')

  expect(posted).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } })
  expect(await ask('/app/', { host: 'evil.example' })).toMatchObject({ status: 403 })
  expect(await ask('/app/', { origin: 'null' })).toMatchObject({ status: 403 })
})

test('contract 10.6 adds a request id to a file, whole, in part or missing', async () => {
  const { etag } = (await ask('/app/')).headers
  const asked: readonly [number, Record<string, string>][] = [
    [200, {}],
    [206, { range: 'bytes=0-3' }],
    [304, { 'if-none-match': String(etag) }],
    [416, { range: 'bytes=900-' }],
  ]

  for (const [status, headers] of asked) {
    const answer = await ask('/app/', headers)
    expect([answer.status, answer.headers['x-request-id']]).toEqual([status, expect.stringMatching(/^[0-9a-f-]{36}$/)])
  }
})

test("keeps the connection if a file doesn't meet a condition", async () => {
  expect(await ask('/app/', { 'if-match': '"another"' })).toMatchObject({ status: 200 })
})
