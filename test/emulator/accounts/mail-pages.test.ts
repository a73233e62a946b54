import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { type OpenBrowser, openChromium } from '../../fixtures/chromium.js'
import { type Ask, askerOf } from '../../fixtures/requests/ask.js'

// The pages that links of mails lead to, in a real browser.

let emulator: Emulator
let ask: Ask
let chromium: OpenBrowser
beforeAll(async () => {
  ;[emulator, chromium] = await Promise.all([startEmulator({ memory: true }), openChromium()])
  ask = askerOf(emulator)
})
afterAll(() => Promise.all([emulator.close(), chromium.close()]))

const password = 'Correct4Horse'

/** A user, and the two links that the service has mailed. */
async function aUserWithLinks(email: string) {
  const { body } = await ask('POST', '/auth-collections/signup', { email, password })
  const token = String(body.token)
  await ask('POST', '/auth/request-verification', {}, token)
  const verification = await newestMail(email)
  await ask('POST', '/auth/request-password-reset', { email })
  const reset = await newestMail(email, verification.id)
  return { token, verifyLink: verification.link, resetLink: reset.link }
}

async function newestMail(to: string, after?: string): Promise<{ id: string; link: string }> {
  const query = new URLSearchParams({ to, ...(after === undefined ? {} : { after }) })
  const { body } = await ask('GET', `/_svc/api/mail/wait?${query}`)
  return { id: String(body.id), link: (body.links as string[])[0] ?? '' }
}

const isVerified = async (token: string) =>
  (await ask('GET', '/auth-collections/me', undefined, token)).body.email_verified
const logIn = async (email: string, given: string) =>
  (await ask('POST', '/auth-collections/login', { email, password: given })).status

it('contract 6.8 the link of a mail verifies with the keyboard alone, without scripts, and not before', async () => {
  const { token, verifyLink } = await aUserWithLinks('ada@example.com')
  const context = await chromium.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(verifyLink)
  const before = await isVerified(token)

  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(/verify-email/)
  const heading = await page.getByRole('heading', { name: 'Thank you' }).textContent()

  expect(heading).toBe('Thank you')
  expect(await page.textContent('main')).toContain('ada@example.com is verified')
  expect([before, await isVerified(token)]).toEqual([false, true])
  await context.close()
})

it('contract 6.8 a link that was used says so', async () => {
  const { verifyLink } = await aUserWithLinks('bob@example.com')
  const page = await chromium.newPage()
  for (const _ of ['first', 'second']) {
    await page.goto(verifyLink)
    await page.getByRole('button', { name: 'Verify' }).click()
  }

  expect(await page.getByRole('alert').textContent()).toContain('used or expired')
  await page.close()
})

it('contract 6.8 a weak password is refused with its reason, and the next one may be typed at once', async () => {
  const { resetLink } = await aUserWithLinks('cleo@example.com')
  const page = await chromium.newPage()
  await page.goto(resetLink)
  await typeAtOnce(page, 'weakpassword')
  const reason = await page.getByRole('alert').textContent()

  await page.getByLabel('New password').fill('New4Horses')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your password was changed' }).waitFor()

  expect(reason).toBe('A password needs an uppercase letter and a digit.')
  expect(await logIn('cleo@example.com', 'New4Horses')).toBe(200)
  expect(await logIn('cleo@example.com', password)).toBe(401)
  await page.close()
})

it.each(['light', 'dark'] as const)('all words can be read in a %s browser, on a narrow screen too', async (scheme) => {
  const { verifyLink, resetLink } = await aUserWithLinks(`${scheme}@example.com`)
  const page = await chromium.newPage({ colorScheme: scheme, viewport: { width: 320, height: 600 } })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))

  await page.goto(verifyLink)
  const verify = await look(page)
  await page.goto(resetLink)
  await typeAtOnce(page, 'weakpassword')
  await page.getByRole('alert').waitFor()
  const reset = await look(page)

  for (const { contrasts, isWider } of [verify, reset]) {
    expect(Math.min(...Object.values(contrasts)), JSON.stringify(contrasts)).toBeGreaterThan(4.5)
    expect(isWider).toBe(false)
  }
  expect(Object.keys(reset.contrasts)).toEqual(expect.arrayContaining(['H1', 'P', 'LABEL', 'SMALL', 'BUTTON']))
  // The answer to the weak password is a failure of a request, which the browser mentions.
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([])
  await page.close()
})

/** Types without a click. The browser moves the focus to the field with its first frame, which may come after the page has loaded. */
async function typeAtOnce(page: Page, text: string): Promise<void> {
  await page.locator('input:focus').waitFor()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** The contrast of each element's words to what is behind them, and whether the page is wider than the screen. */
function look(page: Page): Promise<{ contrasts: Record<string, number>; isWider: boolean }> {
  return page.evaluate(() => {
    const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
        const part = channel / 255
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const behind = (element: Element): string => {
      const { backgroundColor } = getComputedStyle(element)
      if (channels(backgroundColor)[3] !== 0) return backgroundColor
      return element.parentElement ? behind(element.parentElement) : 'rgb(255, 255, 255)'
    }
    const contrasts: Record<string, number> = {}
    for (const element of document.querySelectorAll('h1, p, label, small, button')) {
      const [one, other] = [luminance(getComputedStyle(element).color), luminance(behind(element))]
      const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
      contrasts[element.tagName] = Math.min(contrasts[element.tagName] ?? Number.POSITIVE_INFINITY, contrast)
    }
    return { contrasts, isWider: document.documentElement.scrollWidth > window.innerWidth }
  })
}
