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
