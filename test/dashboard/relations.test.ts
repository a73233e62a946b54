import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DashboardWorld, openDashboard } from './world.js'

let world: DashboardWorld

beforeAll(async () => {
  world = await openDashboard()
})
afterAll(() => world.close())

it('says what a link is, then shows which collections lead to which, and opens them', async () => {
  const { page, client, goTo } = world
  await goTo('relations')
  await page.getByText('No collections yet').waitFor()

  for (const name of ['authors', 'posts', 'comments', 'settings']) await client.collections.create({ name })
  await page.getByText('Nothing is linked').waitFor()

  const author = await client.collection('authors').create({ name: 'Ada' })
  const post = await client.collection('posts').create({ title: 'Hello', author: author.id })
  await client.collection('posts').create({ title: 'Again', author: author.id, related: [post.id] })
  const first = await client.collection('comments').create({ text: 'Yes', post: post.id, writer: author.id })
  await client.collection('comments').create({ text: 'No', post: post.id, answers: first.id })
  await client.collection('authors').update(author.id, { favourite: post.id })
  await page.getByRole('button', { name: 'Read again' }).click()

  await page.getByRole('link', { name: 'comments 2 documents' }).waitFor()
  const links = page.getByRole('list', { name: 'Links' }).getByRole('listitem')
  expect((await links.allTextContents()).sort()).toEqual([
    'authors.favourite leads to posts',
    'comments.answers leads to comments',
    'comments.post leads to posts',
    'comments.writer leads to authors',
    'posts.author leads to authors',
    'posts.related leads to posts',
  ])
  expect(await page.locator('.graph path.arrow').count()).toBe(6)
  await world.expectAccessible()

  await page.getByRole('button', { name: 'Show as a list' }).click()
  await page.getByRole('row').filter({ hasText: 'writer' }).getByText('1 of 2').waitFor()
  await page.getByRole('button', { name: 'Show as a graph' }).click()
  await page.getByRole('link', { name: 'posts 2 documents' }).click()
  await page.getByRole('row').filter({ hasText: 'Again' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/_svc/data/posts')
  expect(world.faults).toEqual([])
})
