import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
})

it('says what a link is, then shows which collections lead to which, and opens them', async () => {
  const { page, client, goTo } = world
  await goTo('relations')
  await page.getByText('No collections yet', { exact: true }).waitFor()

  for (const name of ['authors', 'posts', 'comments', 'settings']) await client.collections.create({ name })
  await page.getByText('Nothing is linked', { exact: true }).waitFor()

  const author = await client.collection('authors').create({ name: 'Ada' })
  const post = await client.collection('posts').create({ title: 'Hello', author: author.id })
  await client.collection('posts').create({ title: 'Again', author: author.id, related: [post.id] })
  const first = await client.collection('comments').create({ text: 'Yes', post: post.id, writer: author.id })
  await client.collection('comments').create({ text: 'No', post: post.id, answers: first.id })
  await client.collection('authors').update(author.id, { favourite: post.id })
  await page.getByRole('button', { name: 'Refresh', exact: true }).click()

  await page.getByRole('link', { name: 'comments 2 documents', exact: true }).waitFor()
  const links = page.getByRole('list', { name: 'Links', exact: true }).getByRole('listitem')
  expect((await links.allTextContents()).sort()).toEqual([
    'authors.favourite links to posts',
    'comments.answers links to comments',
    'comments.post links to posts',
    'comments.writer links to authors',
    'posts.author links to authors',
    'posts.related links to posts',
  ])
  expect(await page.locator('.graph path.arrow').count()).toBe(6)
  await world.expectAccessible()

  await page.getByRole('button', { name: 'Show as a list', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'writer' }).getByText('1 of 2', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Show as a graph', exact: true }).click()
  await page.getByRole('link', { name: 'posts 2 documents', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'Again' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/_svc/data/posts')
  expect(world.faults).toEqual([])
})

it('goes through the lists that lead to other pages by keys, and opens what is marked by Enter', async () => {
  const { page, client, goTo } = world
  for (const name of ['authors', 'letters', 'posts']) await client.collections.create({ name })
  const author = await client.collection('authors').create({ name: 'Ada' })
  for (const name of ['letters', 'posts'])
    await client.collection(name).create({ title: `Of ${name}`, author: author.id })
  const secondOf = async (list: string) => {
    await page.getByRole('table', { name: list, exact: true }).focus()
    for (const key of ['j', 'ArrowDown', 'k', 'j']) await page.keyboard.press(key)
    const marked = page.locator('.grid-row.sel')
    expect(await marked.getAttribute('aria-rowindex')).toBe('2')
    const name = await marked.locator('.row-name').textContent()
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: `Documents in ${name}`, exact: true }).waitFor()
  }

  await goTo('data')
  await secondOf('Collections')
  await goTo('relations')
  await page.getByRole('button', { name: 'Show as a list', exact: true }).click()
  await secondOf('Links')

  expect(world.faults).toEqual([])
})
