import { beforeEach, expect, it } from 'vitest'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld

beforeEach(async () => {
  world = await openWorld()
  const { client } = world
  await client.collections.create({ name: 'posts' })
  await client.collection('posts').createMany([
    { title: 'Tea', views: 3, authorId: 'a' },
    { title: 'Milk', views: 5, authorId: 'b' },
  ])
})

it('completes a query, runs it, shows where it is wrong, and keeps what was run', async () => {
  const { page, goTo } = world
  await goTo('console')
  const editor = page.getByRole('textbox', { name: 'SQL query', exact: true })
  await editor.click()
  await page.keyboard.type('select title, aut')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('select p. from posts p order by views')
  for (let n = 0; n < ' from posts p order by views'.length; n++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('aut')
  await page.getByRole('option', { name: /authorId/ }).click()
  await page.keyboard.press('Control+Enter')

  await page.getByRole('columnheader', { name: 'authorId', exact: true }).waitFor()
  expect(await page.getByRole('cell').allTextContents()).toEqual(['a', 'b'])
  await page.getByText(/^2 rows/).waitFor()
  await page.getByText(`svc sql 'select p."authorId" from posts p order by views'`, { exact: true }).waitFor()

  await page.keyboard.press('Control+a')
  await page.keyboard.type('select nothing(1) from posts ')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Function nothing(integer) does not exist.', { exact: true }).waitFor()
  expect(await page.locator('.cm-lintRange-error').textContent()).toBe('nothing')
  await world.expectAccessible()

  await page.reload()
  await page
    .locator('.cm-line')
    .filter({ hasText: /^select nothing\(1\) from posts/ })
    .waitFor()
  await page.getByRole('button', { name: 'History', exact: true }).click()
  await page.getByRole('menuitem', { name: /authorId/ }).click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'b' }).last().click()
  await page
    .getByRole('region', { name: 'Row', exact: true })
    .getByText(/^"authorId"/)
    .waitFor()
  // Keys stay at the last row.
  await page.getByRole('table', { name: 'Rows', exact: true }).press('j')
  await page.getByRole('region', { name: 'Row', exact: true }).waitFor()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as', exact: true }).click()
  await page.getByRole('menuitem', { name: 'CSV', exact: true }).click()
  expect((await saving).suggestedFilename()).toBe('answer.csv')
})
