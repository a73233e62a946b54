/** Each page in both themes, wide and narrow, and each by keyboard alone. PICTURES=<folder> keeps a picture of each. */
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { dashboardPages, dashboardPageUrl } from '../../cli/target/dashboard-address.js'
import { worldsWithRuns } from '../dashboard/parity-runs.js'
import type { DashboardWorld } from '../dashboard/world.js'
import { controlOf } from '../fixtures/requests/emulator-control.js'

const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }
const titles: { readonly [page: string]: string } = { provider: 'Login provider', api: 'API' }

const openWorld = worldsWithRuns()
let world: DashboardWorld
let post = ''
beforeEach(async () => {
  world = await openWorld()
  const { client, emulator } = world
  await client.collections.create({ name: 'authors' })
  await client.collections.create({ name: 'posts', schema: { title: { type: 'string', required: true } } })
  const { id: author } = await client.collection('authors').create({ name: 'Ada' })
  const posts = Array.from({ length: 120 }, (_, n) => ({
    ...{ title: `Post ${n}`, views: n * 37, status: n % 3 ? 'published' : 'draft', author, tags: ['a', 'b'] },
  }))
  const [made] = await client.collection('posts').createMany(posts)
  post = made?.id ?? ''
  await client.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  await client.files.upload(new File(['Hello'], 'hello.txt'), { path: 'letters' })
  const control = controlOf(emulator)
  await client.auth.requestPasswordReset('ada@example.com')
  await control.snapshots.save({ project: emulator.projectId, name: 'before-the-import' })
  await beginLogin()
})

/** A login through the provider, as far as its page. */
async function beginLogin() {
  const { emulator } = world
  const headers = { 'x-api-key': emulator.apiKey }
  const answer = await fetch(`${emulator.url}/login-idp?returnTo=${emulator.url}/done`, { headers })
  const { url } = (await answer.json()) as { url: string }
  await fetch(url)
}

const places = () =>
  [...dashboardPages.map((name) => [name, ''] as const), ['data', 'posts'], ['data', `posts/${post}`]] as const

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  it.each(Object.entries(sizes))('every page fits, is accessible and says no error, %s', async (name, size) => {
    const { page, emulator, faults } = world
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme: theme })
    for (const [place, id] of places()) {
      await page.goto(dashboardPageUrl(emulator, place, id))
      await page.getByRole('heading').first().waitFor()
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
      const words = `${place} ${id}`
      const { PICTURES: pictures } = process.env
      const file = `${place}-${id.replaceAll('/', '-').slice(0, 8)}-${theme}-${name}.png`
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, file) })
      await world.expectAccessible()
      expect(await cutOff(page), words).toEqual([])
      expect(await spilled(page), words).toEqual([])
      // As many columns as documents have fields, and as an answer has.
      const hasAnyColumns = id !== '' || place === 'console'
      if (name === 'narrow' && !hasAnyColumns) expect(await sideways(page), words).toEqual([])
      expect(await page.getByRole('alert').count(), words).toBe(0)
    }
    expect(faults).toEqual([])
  })
})

it('every page is reached and gone through by keyboard alone', async () => {
  const { page, emulator, faults } = world
  await page.setViewportSize(sizes.wide)
  await page.goto(dashboardPageUrl(emulator))
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
  for (const name of dashboardPages.filter((each) => each !== 'home')) {
    const title = titles[name] ?? name.charAt(0).toUpperCase() + name.slice(1)
    await world.goByPalette(title)
    await page
      .getByRole('region', { name: title, exact: true })
      .or(page.getByRole('heading', { name: title, exact: true }))
      .first()
      .waitFor()
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
    const seen = await focused(page)
    expect(seen.invisible, name).toEqual([])
    expect(seen.inPage, name).toBeGreaterThan(0)
  }
  expect(faults).toEqual([])
})

/** Elements beyond the edge of the window that cannot be scrolled to. */
function cutOff(page: DashboardWorld['page']): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element | null): boolean =>
      element !== null && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
    return [...document.querySelectorAll('h1, h2, p, button, input, .empty, .strip')]
      .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && each.checkVisibility())
      .filter((each) => each.closest('.empty') !== null || !scrolls(each.parentElement))
      .map((each) => each.outerHTML.slice(0, 120))
  })
}

/** Lists that have to be scrolled sideways. */
function sideways(page: DashboardWorld['page']): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.list, .grid, .home')]
      .filter((each) => each.scrollWidth > each.clientWidth)
      .map((each) => each.outerHTML.slice(0, 120)),
  )
}

/** Text that leaves its element, and lies over the next one. */
function spilled(page: DashboardWorld['page']): Promise<string[]> {
  return page.evaluate(() => {
    const range = document.createRange()
    const hasOwnText = ({ childNodes }: Element) =>
      [...childNodes].some((node) => node instanceof Text && node.data.trim() !== '')
    const boxOf = (element: Element): Element =>
      getComputedStyle(element).display === 'inline' && element.parentElement ? boxOf(element.parentElement) : element
    return [...document.querySelectorAll('#root *')]
      .filter((each) => hasOwnText(each) && each.checkVisibility() && !each.closest('.hidden, svg, .cm-editor'))
      .filter((each) => {
        const box = boxOf(each)
        range.selectNodeContents(each)
        const isShortened = getComputedStyle(box).overflowX !== 'visible'
        return !isShortened && range.getBoundingClientRect().right > box.getBoundingClientRect().right + 1
      })
      .map((each) => each.outerHTML.slice(0, 120))
  })
}

/** Goes once around by Tab: how many elements of the page had the focus, and which without showing it. */
async function focused(page: DashboardWorld['page']): Promise<{ inPage: number; invisible: string[] }> {
  const seen = { inPage: 0, invisible: [] as string[] }
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  for (let n = 0; n < 80; n++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(() => {
      const element = document.activeElement
      if (!element || element === document.body) return null
      const { width, height } = element.getBoundingClientRect()
      const isHidden = element.closest('label') === null && (width === 0 || height === 0)
      return {
        isHidden,
        isInPage: element.closest('main, .page, .home') !== null,
        words: element.outerHTML.slice(0, 120),
      }
    })
    if (at === null) break
    if (at.isHidden) seen.invisible.push(at.words)
    if (at.isInPage) seen.inPage++
  }
  return seen
}
