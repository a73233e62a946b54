import { expect, it } from 'vitest'
import { startEmulator } from '../../emulator/assembly/dev.js'

it('contract 11 the dashboard holds no key, answers every page of its own, and loads nothing from elsewhere', async () => {
  const { dashboardUrl, apiKey, controlToken, close } = await startEmulator({ memory: true })
  try {
    const asPage = { headers: { accept: 'text/html' } }
    const [page, bare, deep, missing] = await Promise.all([
      fetch(dashboardUrl),
      fetch(dashboardUrl.replace(/\/$/, '')),
      fetch(`${dashboardUrl}data/posts/1`, asPage),
      fetch(`${dashboardUrl}assets/missing.js`),
    ])

    const text = await page.text()
    const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(text) ?? []
    const asset = await fetch(new URL(script, dashboardUrl))
    expect([page.status, bare.status, deep.status, missing.status, asset.status]).toEqual([200, 200, 200, 404, 200])
    expect([await bare.text(), await deep.text()]).toEqual([text, text])
    expect(text).not.toMatch(new RegExp(`${apiKey}|${controlToken}|https?://|<script>|style=`))
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe|https?:/)
    expect(page.headers.get('cache-control')).toBe('no-cache')
    expect(asset.headers.get('cache-control')).toContain('immutable')
    expect(asset.headers.get('content-security-policy')).toBe(policy)
  } finally {
    await close()
  }
})

it('contract 11 health tells one state folder from another, and nothing else of it', async () => {
  const [one, other] = await Promise.all([startEmulator({ memory: true }), startEmulator({ memory: true })])
  try {
    const health = async ({ url }: { url: string }) => (await fetch(`${url}/_svc/api/health`)).json()

    const [first, again, second] = await Promise.all([health(one), health(one), health(other)])

    expect(first).toEqual({ status: 'ok', folder: expect.stringMatching(/^[0-9a-f]{16}$/) })
    expect(again).toEqual(first)
    expect(second.folder).not.toBe(first.folder)
    expect(one.controlToken).not.toContain(first.folder)
  } finally {
    await Promise.all([one.close(), other.close()])
  }
})

it('contract 10.9 the dashboard says what every answer says, and refuses pages of other sites', async () => {
  const { dashboardUrl, close } = await startEmulator({ memory: true })
  try {
    const ask = (headers: Record<string, string>, path = '') => fetch(`${dashboardUrl}${path}`, { headers })
    const [page, foreign, inOther, unreadable, missing] = await Promise.all([
      ask({ origin: 'http://localhost:3000' }),
      ask({ origin: 'https://evil.example' }),
      ask({ 'svc-dialect': 'b' }),
      ask({ 'svc-dialect': 'klingon' }),
      ask({}, 'missing'),
    ])

    expect(page.headers.get('access-control-allow-origin')).toBe('http://localhost:3000')
    expect([page, foreign, inOther, unreadable].map(({ status }) => status)).toEqual([200, 403, 200, 400])
    expect([page, inOther].map(({ headers }) => headers.get('svc-dialect'))).toEqual(['a', 'b'])
    expect(page.headers.get('vary')).toBe('origin')
    expect(await missing.json()).toMatchObject({ error: { message: 'Nothing is served at "/_svc/missing".' } })
  } finally {
    await close()
  }
})
