import { expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../emulator/assembly/dev.js'
import { askerOf } from '../fixtures/requests/ask.js'

it('no page of another site shows the dashboard, the login of the built-in provider or the page of a mail in a frame', async () => {
  const emulator = await startEmulator({ memory: true })
  onTestFinished(() => emulator.close())
  const { url } = (await askerOf(emulator)('GET', '/auth-collections/login-idp')).body
  const pages = [emulator.dashboardUrl, String(url), `${emulator.url}/auth/pages/verify-email?token=x`]

  for (const page of pages) {
    const answer = await fetch(page)

    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    await answer.body?.cancel()
  }
})
