import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { startTestEmulator } from 'svc-toolkit/testing'

// Uses a separate emulator in memory, so that the notes of the app stay as they are.
const { url, apiKey } = await startTestEmulator()
const env = { ...process.env, SVC_URL: url, SVC_API_KEY: apiKey, PORT: '0' }
const server = spawn(process.execPath, ['serve.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
after(() => server.kill())
const [line] = await once(server.stdout, 'data')
const get = (path) => fetch(new URL(path, String(line).trim()))

test('tells the page the URL of the service', async () => {
  const settings = await (await get('/settings.js')).text()

  assert.equal(settings, `export const settings = ${JSON.stringify({ url, apiKey })}`)
})

test('does not serve its settings and code', async () => {
  const statuses = await Promise.all(
    ['/', '/main.js', '/.env.local', '/package.json'].map(async (path) => (await get(path)).status),
  )

  assert.deepEqual(statuses, [200, 200, 404, 404])
})
