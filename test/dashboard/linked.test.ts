/** Documents and what they are linked with. */
import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile()
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  for (const name of ['authors', 'posts']) await world.client.collections.create({ name })
})

it('finds links in lists and in any number of fields, from both sides and on the page of relations', async () => {
  const { page, client, goTo } = world
  const { id: author } = await client.collection('authors').create({ name: 'Ada' })
  const fields = (name: string, count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, value]))
  const data = { title: 'Hello', ...fields('text', 14, 'none'), ...fields('link', 20, author), writers: [author] }
  const { id } = await client.collection('posts').create(data)
  const linking = ['writers', ...Object.keys(fields('link', 20, author))].sort()
  const shown = async (words: RegExp) => {
    await page.getByRole('tab', { name: 'Linked', exact: true }).click()
    await page.getByRole('link', { name: words }).first().waitFor()
    return (await page.locator('.linked-row > :first-child').allTextContents()).sort()
  }

  await goTo(`data/posts/${id}`)
  expect(await shown(/Ada/)).toEqual(linking)
  await goTo(`data/authors/${author}`)
  expect(await shown(/Hello/)).toEqual(linking.map((field) => `posts.${field}`))
  await goTo('relations')
  const links = page.getByRole('list', { name: 'Links', exact: true }).getByRole('listitem')
  await links.first().waitFor()
  expect((await links.allTextContents()).sort()).toEqual(linking.map((field) => `posts.${field} leads to authors`))
  expect(world.faults).toEqual([])
})
