import { expect, it } from 'vitest'
import { startEmulator } from '../../emulator/dev.js'

it('contract 11 the address of the emulator shows a page that holds no key, and nothing else below it', async () => {
  const { dashboardUrl, apiKey, controlToken, close } = await startEmulator({ memory: true })
  try {
    const [page, bare, missing] = await Promise.all([
      fetch(dashboardUrl),
      fetch(dashboardUrl.replace(/\/$/, '')),
      fetch(`${dashboardUrl}missing`, { headers: { accept: 'text/html' } }),
    ])

    const text = await page.text()
    expect([page.status, bare.status, missing.status]).toEqual([200, 200, 404])
    expect(await bare.text()).toBe(text)
    expect(text).toContain('svc is running')
    expect(text).not.toMatch(new RegExp(`${apiKey}|${controlToken}`))
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(missing.headers.get('content-type')).toContain('application/json')
  } finally {
    await close()
  }
})

it('contract 10.9 the page of the emulator says what every answer says, and refuses pages of other sites', async () => {
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
    expect(await missing.json()).toMatchObject({ error: { message: 'There is nothing at "/_svc/missing".' } })
  } finally {
    await close()
  }
})
