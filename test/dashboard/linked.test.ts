/** Documents and what they are linked with: how the links of many fields are found, and filters that reach through them. */
import { text } from 'node:stream/consumers'
import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  for (const name of ['authors', 'posts']) await world.client.collections.create({ name })
})

const row = (text: string) => world.row(text)

it('finds links in lists and in any number of fields, from both sides and on the page of relations', async () => {
  const { page, client, goTo } = world
  const { id: author } = await client.collection('authors').create({ name: 'Ada' })
  const fields = (name: string, count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, value]))
  const data = { title: 'Hello', ...fields('text', 14, 'none'), ...fields('link', 20, author), writers: [author] }
  const { id } = await client.collection('posts').create(data)
  const linking = ['writers', ...Object.keys(fields('link', 20, author))].sort()
  const shown = async (name: string) => {
    await page.getByRole('tab', { name: 'Linked', exact: true }).click()
    await page
      .getByRole('link', { name: new RegExp(name) })
      .first()
      .waitFor()
    return (await page.locator('.linked-row > :first-child').allTextContents()).sort()
  }

  await goTo(`data/posts/${id}`)
  expect(await shown('Ada')).toEqual(linking)
  await goTo(`data/authors/${author}`)
  expect(await shown('Hello')).toEqual(linking.map((field) => `posts.${field}`))
  await goTo('relations')
  const links = page.getByRole('list', { name: 'Links', exact: true }).getByRole('listitem')
  await links.first().waitFor()
  expect((await links.allTextContents()).sort()).toEqual(linking.map((field) => `posts.${field} links to authors`))
  expect(world.faults).toEqual([])
})

it('filters by fields of linked documents, says the same as code and command, and exports and deletes what matches', async () => {
  const { page, client, goTo } = world
  const authors = await client.collection('authors').createMany([
    { name: 'Ada', role: 'admin' },
    { name: 'Bob', role: 'reader' },
  ])
  await client
    .collection('posts')
    .createMany(authors.flatMap(({ id, data }) => [1, 2].map((n) => ({ title: `${data.name} ${n}`, author: id }))))
  await goTo('data/posts?author.role=admin&populate=author')

  await page.getByText(/^2 documents match/).waitFor()
  await row('Ada 1').getByRole('button', { name: 'Ada', exact: true }).waitFor()
  expect(await row('Bob 1').count()).toBe(0)
  await page.getByText('populate author', { exact: true }).waitFor()
  expect(await page.locator('.bottom code').textContent()).toBe(
    'svc docs list posts --where author.role=admin --populate author',
  )
  await page.getByRole('button', { name: 'Copy as', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy as client code', exact: true }).click()
  await page.getByText('Copied client code', { exact: true }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    "const { items } = await svc.collection('posts').list({ where: { 'author.role': 'admin' }, populate: ['author'] })",
  )
  await page.getByRole('button', { name: /^title/ }).click()
  await page.getByText('sort title', { exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe('?author.role=admin&orderBy=title&order=asc&populate=author')

  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save file', exact: true }).click()
  const lines = (await text(await (await saving).createReadStream())).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).title)).toEqual(['Ada 1', 'Ada 2'])
  await page.getByRole('button', { name: 'More for posts', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete the 2 that match', exact: true }).click()
  await page.getByRole('listitem').filter({ hasText: 'Ada 2' }).waitFor()
  await page.getByRole('button', { name: 'Delete 2', exact: true }).click()
  await page.getByRole('heading', { name: 'No document matches', exact: true }).waitFor()
  const left = (await client.collection('posts').list({ sort: 'title' })).items
  expect(left.map(({ data }) => data.title)).toEqual(['Bob 1', 'Bob 2'])
  expect(world.faults).toEqual([])
})
