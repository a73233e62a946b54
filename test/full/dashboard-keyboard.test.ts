/** Proof 1 of the dashboard: the main task of each page and each of its controls, by keyboard alone. */
import { beforeEach, expect, it } from 'vitest'
import { dashboardPlaces } from '../../client/protocol/model/dashboard-pages.js'
import { worldsWithRuns } from '../dashboard/parity-runs.js'
import { type DashboardWorld, patience } from '../dashboard/world.js'

const openWorld = worldsWithRuns()
let world: DashboardWorld
beforeEach(async () => {
  world = await openWorld()
  const { client } = world
  await client.collections.create({ name: 'authors' })
  await client.collections.create({ name: 'posts' })
  const { id: author } = await client.collection('authors').create({ name: 'Ada' })
  await client.collection('posts').createMany([
    { title: 'One', author, editor: author },
    { title: 'Two', author },
  ])
  await client.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse' })
  await client.auth.requestVerification()
  await client.auth.logOut()
})

const press = (key: string) => world.page.keyboard.press(key)
const type = (text: string) => world.page.keyboard.insertText(text)
const see = (text: RegExp) => world.page.getByText(new RegExp(text)).first().waitFor()
const row = (text: string) => world.page.locator('main [role=row]').filter({ hasText: text }).first().waitFor()

/** Goes there by Tab alone; each element on the way shows its focus. */
async function reach(name: string | RegExp): Promise<void> {
  for (let n = 0; n < 150; n++) {
    await press('Tab')
    const at = await focus()
    expect(at.isShown, `the focus on ${at.html}`).toBe(true)
    if (typeof name === 'string' ? at.name === name : name.test(at.name)) return
  }
  throw new Error(`Nothing called ${name} is reached by Tab.`)
}

/** The focused element: its name, and whether its focus is visible. */
function focus(): Promise<{ name: string; html: string; isShown: boolean }> {
  return world.page.evaluate(() => {
    const element = document.activeElement
    if (!(element instanceof HTMLElement || element instanceof SVGElement)) return { name: '', html: '', isShown: true }
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : []
    const label = element.getAttribute('aria-label')
    const isList = element.getAttribute('role') === 'table'
    const named = (isList ? `list ${label}` : label) ?? labels[0]?.textContent ?? element.textContent ?? ''
    // An editor shows a cursor, a box of a graph its border, and a hidden input is in a label that shows it.
    // A field of a form shows it on its box.
    const shows = [element, element.closest('label'), element.closest('.in'), ...element.children]
    const isShown =
      element === document.body ||
      element.closest('.cm-editor, [data-base-ui-focus-guard]') !== null ||
      shows.some((each) => each && (getComputedStyle(each).outlineStyle !== 'none' || each.tagName === 'rect'))
    return { name: named.trim(), html: element.outerHTML.slice(0, 160), isShown }
  })
}

/** Opens the first row of a list, goes into its pane, and leaves it again to the list. */
async function openFirst(list: string): Promise<void> {
  await reach(`list ${list}`)
  await press('j')
  await world.page.locator('.pane').waitFor()
  await press('Enter')
  await expect.poll(() => world.page.locator('.pane :focus').count()).toBe(1)
  await press('Escape')
  await world.page.locator('.pane').waitFor({ state: 'detached' })
  await expect.poll(async () => (await focus()).name).toBe(`list ${list}`)
}

/** Marks the second row of a list whose rows lead to other pages, and opens it. */
async function goToSecond(list: string): Promise<void> {
  await reach(`list ${list}`)
  await press('j')
  await press('j')
  const marked = world.page.locator('.grid-row.sel')
  expect(await marked.getAttribute('aria-rowindex')).toBe('2')
  const name = await marked.locator('.row-name').textContent()
  await press('Enter')
  await world.page.getByRole('heading', { name: name ?? '', level: 1, exact: true }).waitFor()
}

/** Fills a dialog that has been opened, from one field to the next, and sends it by Enter. */
async function fillIn(fields: Readonly<Record<string, string>>): Promise<void> {
  await world.page.getByRole('dialog').waitFor()
  for (const [label, text] of Object.entries(fields)) {
    if (!(await focus()).name.startsWith(label)) await reach(new RegExp(`^${label}`))
    await press('ControlOrMeta+A')
    await type(text)
  }
  await press('Enter')
  await world.page.getByRole('dialog').waitFor({ state: 'detached' })
}

const actions: readonly (readonly [page: string, what: string, act: () => Promise<void>])[] = [
  [
    '',
    'copies an address, and comes back from the palette to where it was',
    async () => {
      await reach('copy')
      await press('Enter')
      await see(/^copied$/)
      await press('ControlOrMeta+K')
      await world.page.getByRole('dialog').waitFor()
      await press('Escape')
      await world.page.getByRole('dialog').waitFor({ state: 'detached' })
      await expect.poll(async () => (await focus()).html).toContain('class="link"')
    },
  ],
  [
    'data',
    'creates a collection and a document',
    async () => {
      await press('n')
      await fillIn({ Name: 'letters' })
      await world.page.getByRole('heading', { name: 'letters', exact: true }).waitFor()
      await press('n')
      await expect.poll(async () => (await focus()).name, { timeout: patience }).toBe('JSON of the document')
      await type('"title": "By keyboard"')
      await press('ControlOrMeta+S')
      await see(/version 1\b/)
      await row('By keyboard')
    },
  ],
  ['data', 'goes through collections and opens one', () => goToSecond('Collections')],
  ['data/posts', 'goes through documents', () => openFirst('Documents in posts')],
  [
    'relations',
    'shows the links as a list, and opens one',
    async () => {
      await reach('Show as a list')
      await press('Space')
      await world.page.getByRole('table').first().waitFor()
      await goToSecond('Links')
    },
  ],
  [
    'console',
    'runs a query',
    async () => {
      await reach('SQL query')
      await type('select title from posts order by title')
      await press('ControlOrMeta+Enter')
      await see(/^2 rows/)
    },
  ],
  [
    'files',
    'uploads a file and looks at it',
    async () => {
      const chosen = world.page.waitForEvent('filechooser')
      await press('n')
      await (await chosen).setFiles({ name: 'hello.txt', mimeType: 'text/plain', buffer: Buffer.from('Hello') })
      await row('hello.txt')
      await openFirst('Files')
    },
  ],
  [
    'snapshots',
    'saves a snapshot',
    async () => {
      await press('n')
      await fillIn({ Name: 'friday' })
      await row('friday')
      await openFirst('Snapshots')
    },
  ],
  [
    'users',
    'creates a user',
    async () => {
      await press('n')
      await fillIn({ Email: 'grace@example.com' })
      await world.page.locator('.pane').getByText('grace@example.com', { exact: true }).first().waitFor()
      await press('Escape')
      await openFirst('Users')
    },
  ],
  [
    'provider',
    'adds an account',
    async () => {
      await press('n')
      await fillIn({ Id: 'lise', Name: 'Lise Meitner' })
      await see(/^Lise Meitner$/)
    },
  ],
  ['mail', 'reads a mail', () => openFirst('Mail')],
  [
    'requests',
    'filters, and looks at a request',
    async () => {
      await press('/')
      await type('/auth-collections')
      await row('/auth-collections/signup')
      await openFirst('Requests')
    },
  ],
  [
    'realtime',
    'sends an event',
    async () => {
      await press('n')
      await world.page.getByRole('dialog').waitFor()
      await reach('Write')
      await press('Enter')
      await see(/^Created /)
    },
  ],
  [
    'simulate',
    'switches a fault on and off',
    async () => {
      await reach('realtime-flaps')
      await press('Space')
      await see(/active faults?/)
      await world.page
        .getByRole('button', { name: 'Remove all', exact: true })
        .and(world.page.locator(':enabled'))
        .waitFor()
      await reach('Remove all')
      await press('Enter')
      await see(/no faults/)
    },
  ],
  [
    'api-reference',
    'finds and opens an operation',
    async () => {
      await press('/')
      await type('batch')
      // The list is updated later, and removes the focused element.
      await see(/^\d operations/)
      await reach(/\/collections/)
      await press('Enter')
      await world.page.locator('.pane').waitFor()
      await press('Escape')
      await world.page.locator('.pane').waitFor({ state: 'detached' })
    },
  ],
  [
    'settings',
    'changes a setting, and makes a key with scopes',
    async () => {
      await reach('require2fa')
      await press('Space')
      await see(/^Changed require2fa/)
      await press('n')
      await fillIn({ Name: 'reports', Scopes: 'read write:posts' })
      await see(/^Copy the new key now\. It is not shown again\.$/)
      await see(/^write:posts$/)
    },
  ],
]

it.each(actions)('/%s: %s', async (path, _what, act) => {
  await world.goTo(path)
  await world.page.locator('main h1').waitFor()
  await world.page.locator('main h1').first().waitFor()
  await expect.poll(() => world.page.locator('.skeleton').count()).toBe(0)

  await act()

  expect(world.faults).toEqual([])
})

const fields = {
  title: { type: 'string', required: true, unique: true },
  author: { type: 'link', to: 'authors' },
  due: { type: 'string', format: 'date' },
  column: { type: 'string', enum: ['backlog', 'doing', 'done'] },
  points: { type: 'integer', min: 0 },
  done: { type: 'boolean' },
  cover: { type: 'file' },
  labels: { type: 'array', items: { type: 'string', enum: ['bug', 'docs', 'email'] } },
  steps: { type: 'array', items: { type: 'object', fields: { text: { type: 'string' }, done: { type: 'boolean' } } } },
} as const

/** Every page of the registry, and the pages below `data`. */
const walks = [
  ...Object.values(dashboardPlaces).map(({ path }) => path),
  ...['', '/new', '/ID', '/schema', '/permissions'].map((below) => `data/cards${below}`),
]

it.each(walks)('/%s: Tab reaches each control and leaves each, and Escape closes what one opens', async (path) => {
  const { client, page } = world
  await client.collections.create({ name: 'cards', schema: fields })
  const { id } = await client
    .collection('cards')
    .create({ title: 'Ship', labels: ['bug'], steps: [{ text: 'Draft', done: false }], column: 'doing' })
  await world.goTo(path.replace('ID', id))
  await page.locator('main h1').first().waitFor()
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())

  await walkByTab()
  const walked = await page.locator('main [data-walked]').count()
  const missed = await unreached()
  const openers = await page.locator('main [data-walked][aria-haspopup]:enabled').count()
  for (let n = 0; n < openers; n++) await openAndClose(n)

  expect(missed).toEqual([])
  expect(walked).toBeGreaterThan(0)
  expect(world.faults).toEqual([])
})

/** Presses Tab until the focus comes around, from wherever the page puts it first, and marks each element of the page that had it. */
async function walkByTab(): Promise<void> {
  for (let n = 0; n < 400; n++) {
    await press('Tab')
    const at = await focus()
    expect(at.isShown, `the focus on ${at.html}`).toBe(true)
    const outcome = await mark()
    if (outcome === 'around') return
    // The editor of JSON takes Tab for itself, until Escape.
    if (outcome === 'stays') await press('Escape')
  }
  throw new Error('Tab does not come around.')
}

/** Marks the focused element. */
function mark(): Promise<'new' | 'stays' | 'around'> {
  return world.page.evaluate(() => {
    const element = document.activeElement
    const last = document.querySelector('[data-walked=last]')
    if (last === element) return 'stays'
    last?.setAttribute('data-walked', 'yes')
    // Between the last element and the first.
    if (!element || element === document.body) return 'new'
    if (element.hasAttribute('data-walked')) return 'around'
    element.setAttribute('data-walked', 'last')
    return 'new'
  })
}

/** Controls of the page that never had the focus. Parts of a group that arrow keys walk count as reached with the group. */
function unreached(): Promise<string[]> {
  return world.page.evaluate(() => {
    const controls =
      'a[href], button, input, select, textarea, [tabindex], [role=button], [role=switch], [role=checkbox], [role=combobox]'
    const groups =
      '[role=radiogroup], [role=tablist], [role=toolbar], [role=listbox], [role=table], [role=grid], .cm-editor'
    const isWalked = (element: Element | null) => element?.matches('[data-walked], :has([data-walked])') === true
    return [...document.querySelectorAll(`main :is(${controls})`)]
      .filter(
        (each) =>
          each.checkVisibility({ visibilityProperty: true }) &&
          !each.matches(':disabled, [inert] *, [aria-hidden=true]'),
      )
      .filter((each) => !isWalked(each) && !isWalked(each.closest('label')) && !isWalked(each.closest(groups)))
      .map((each) => each.outerHTML.slice(0, 160))
  })
}

/** Opens the menu or dialog of the nth walked control that has one, and closes it by Escape: the focus is back then. */
async function openAndClose(n: number): Promise<void> {
  const opener = world.page.locator('main [data-walked][aria-haspopup]:enabled').nth(n)
  await opener.focus()
  const { html } = await focus()
  await press('Enter')
  const opened = world.page.locator('[role=menu], [role=dialog], [role=listbox]')
  await opened.first().waitFor()
  await press('Escape')
  await opened.first().waitFor({ state: 'detached' })
  await expect.poll(async () => (await focus()).html.slice(0, 30), { message: html }).toBe(html.slice(0, 30))
}
