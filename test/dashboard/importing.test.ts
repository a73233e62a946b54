/** Documents from a file: what a try that failed has left, and files that are dropped. */
import { beforeEach, expect, it } from 'vitest'
import { controlOf } from '../fixtures/requests/emulator-control.js'
import { type DashboardWorld, worldsOfFile } from './world.js'

const openWorld = worldsOfFile({ isShared: true })
let world: DashboardWorld
beforeEach(async () => {
  world = await openWorld()
})

it('an import that fails in part goes on, once it is corrected, after what it has created', async () => {
  const { page, client, goTo } = world
  await client.collections.create({ name: 'numbers', schema: { n: { type: 'integer' } } })
  const file = (bad: string) => ({
    name: 'numbers.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(Array.from({ length: 700 }, (_, n) => `{"n": ${n === 650 ? bad : n}}`).join('\n')),
  })
  await goTo('data/numbers')
  await page.getByRole('heading', { name: 'No documents yet', exact: true }).waitFor()
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer()
    data.items.add(new File([text], 'numbers.ndjson'))
    return data
  }, file('"many"').buffer.toString())
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped })
  const choose = async (bad: string) => {
    const asked = page.waitForEvent('filechooser')
    await page.getByLabel('File', { exact: true }).click()
    await (await asked).setFiles(file(bad))
  }
  await page.getByRole('button', { name: 'Create 700', exact: true }).click()
  await page.getByRole('alert').getByText('650.n', { exact: true }).waitFor()
  await page.getByText('Created 500 documents already.', { exact: true }).waitFor()

  // Half of a correction, which cannot be read, is no other file.
  await page.getByRole('textbox', { name: 'Or paste it', exact: true }).fill('{"n": 0}\n{"n"')
  await page
    .getByRole('alert')
    .getByText(/^Line 2/)
    .waitFor()
  await choose('650')
  await page.getByRole('button', { name: 'Create 200', exact: true }).waitFor()
  expect(await page.getByRole('alert').allTextContents()).toEqual([])
  await page.getByRole('button', { name: 'Create 200', exact: true }).click()
  await page.getByText('Imported into numbers', { exact: true }).waitFor()

  const stored: unknown[] = []
  for await (const { data } of client.collection('numbers').iterate({ sort: 'n' })) stored.push(data.n)
  expect(stored).toEqual(Array.from({ length: 700 }, (_, n) => n))
  expect(world.faults).toEqual([])
})

it('an import that fails in part begins anew where what it has created was undone', async () => {
  const { page, client, goTo, emulator } = world
  await client.collections.create({ name: 'numbers', schema: { n: { type: 'integer' } } })
  const rows = (bad: string) => Array.from({ length: 600 }, (_, n) => `{"n": ${n === 550 ? bad : n}}`).join('\n')
  await goTo('data/numbers')
  await page.getByRole('button', { name: 'More for numbers', exact: true }).click()
  await page.getByRole('menuitem', { name: /^Import/ }).click()
  const paste = page.getByRole('textbox', { name: 'Or paste it', exact: true })
  await paste.fill(rows('"many"'))
  await page.getByRole('button', { name: 'Create 600', exact: true }).click()
  await page.getByText('Imported into numbers, in part', { exact: true }).waitFor()
  const control = controlOf(emulator)
  const project = (await control.info.get()).project.id
  await control.snapshots.undo({ project })
  await paste.fill(rows('550'))

  await page.getByRole('button', { name: 'Create 100', exact: true }).click()
  await page
    .getByRole('alert')
    .getByText(/^The documents that were created already no longer exist/)
    .waitFor()
  await page.getByRole('button', { name: 'Create 600', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  expect(await client.collection('numbers').count()).toBe(600)
  expect(world.faults).toEqual([])
})

it('a file that is dropped beside what takes it does not take the place of the page', async () => {
  const { page, goTo } = world
  await goTo('users')
  await page.getByRole('heading', { name: 'No users yet', exact: true }).waitFor()
  const isOpened = await page.evaluate(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['{}'], 'one.json'))
    return ['dragover', 'drop'].map((kind) =>
      document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer })),
    )
  })
  expect(isOpened).toEqual([false, false])
})
