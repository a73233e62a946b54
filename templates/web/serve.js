// Serves this folder on this machine, and tells the page the URL of the service.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'

const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css' }

// On your machine, reads settings from .env.local. Environment variables take precedence.
if (existsSync('.env.local')) process.loadEnvFile('.env.local')
const { SVC_URL: url, SVC_API_KEY: apiKey, PORT = '5173' } = process.env

if (!url || !apiKey) {
  console.error('SVC_URL and SVC_API_KEY are not set. On your machine, “npx svc dev” writes them to .env.local.')
  console.error('In a fresh clone, run “npx svc init --yes” first.')
  process.exit(1)
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost')
  if (pathname === '/settings.js')
    return answer(200, '.js', `export const settings = ${JSON.stringify({ url, apiKey })}`)
  const path = normalize(pathname === '/' ? '/index.html' : pathname)
  const type = extname(path)
  if (!(type in types)) return answer(404, '.html', 'Not found')
  await readFile(join(import.meta.dirname, path)).then(
    (content) => answer(200, type, content),
    () => answer(404, '.html', 'Not found'),
  )

  function answer(status, extension, content) {
    response.writeHead(status, { 'content-type': `${types[extension]}; charset=utf-8` }).end(content)
  }
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
