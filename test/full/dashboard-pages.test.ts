/** Each page in both themes, wide and narrow, and each by keyboard alone. PICTURES=<folder> keeps a picture of each. */
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { dashboardPages, dashboardPlace } from '../../cli/target/dashboard-address.js'
import { type DashboardWorld, worldsOfFile } from '../dashboard/world.js'

const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }
const titles: { readonly [page: string]: string } = { provider: 'Login provider', api: 'API' }

const openWorld = worldsOfFile()
let world: DashboardWorld
let post = ''
beforeEach(async () => {
  world = await openWorld()
  const { client } = world
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
})

const places = () =>
  [
    ...dashboardPages.map((name) => [name, ''] as const),
    ['data', 'posts'],
    ['data', `posts/${post}`],
    ['console', 'client'],
  ] as const

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  it.each(Object.entries(sizes))('every page fits, is accessible and says no error, %s', async (name, size) => {
    const { page, emulator, faults } = world
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme: theme })
    for (const [place, id] of places()) {
      await page.goto(dashboardPlace(emulator, place, id))
      await page.getByRole('heading').first().waitFor()
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
      const words = `${place} ${id}`
      const { PICTURES: pictures } = process.env
      const file = `${place}-${id.replaceAll('/', '-').slice(0, 8)}-${theme}-${name}.png`
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, file) })
      await world.expectAccessible()
      expect(await cutOff(page), words).toEqual([])
      expect(await page.getByRole('alert').count(), words).toBe(0)
    }
    expect(faults).toEqual([])
  })
})

it('every page is reached and gone through by keyboard alone', async () => {
  const { page, emulator, faults } = world
  await page.setViewportSize(sizes.wide)
  await page.goto(dashboardPlace(emulator))
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
