import { expect, it } from 'vitest'
import { openWaitingPage } from './waiting-page.js'

it('only the page’s own path says how a login ended', async () => {
  const page = await openWaitingPage()
  try {
    const { origin, pathname } = new URL(page.url)
    const elsewhere = ['/', '/anything', `${pathname}x`, `${pathname}/`, `/x${pathname}`, pathname.toUpperCase()]

    const refused = []
    for (const path of elsewhere) {
      const { status } = await fetch(`${origin}${path}?svc-super-token=forged`)
      refused.push(status)
    }
    // None of them reported anything; the login itself is what ends the wait.
    expect((await fetch(`${page.url}?svc-super-token=own`)).status).toBe(200)

    expect(refused).toEqual(elsewhere.map(() => 404))
    expect(await page.outcome(60_000)).toEqual({ token: 'own' })
    expect(pathname.length).toBeGreaterThanOrEqual(24)
  } finally {
    page.close()
  }
})
