/** Folders of files that were uploaded before folders were composed. */
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService } from '../../../emulator/assembly/open-service.js'
import { sql } from '../../../emulator/database/port.js'
import { controlOf } from '../../fixtures/events.js'

const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']

it('lists a file in a folder that was kept decomposed, and seeds it no second time', async () => {
  const service = await openService({ ...defaultConfig, memory: true, port: 0 })
  onTestFinished(() => service.close())
  const { url, apiKey = '', project, backend } = service
  const svc = createClient({ url, apiKey })
  const above = await svc.files.upload(new File(['one'], 'note.txt'), { path: composed })
  const below = await svc.files.upload(new File(['two'], 'note.txt'), { path: `${composed}/a` })
  await backend.db.query(sql`update files set path = ${decomposed} where id = ${above.id}`)
  await backend.db.query(sql`update files set path = ${`${decomposed}/a`} where id = ${below.id}`)
  const form = new FormData()
  form.set('mode', 'upsert')
  form.set('steps', new Blob([JSON.stringify({ step: 'file', name: 'n', part: 'n', path: composed })]), 'steps.ndjson')
  form.set('n', new Blob(['one']), 'note.txt')

  const seeded = await controlOf(service).seeds.apply({ project: project.id, form })
  const lists = await Promise.all([composed, decomposed].map((path) => svc.files.list({ path })))

  expect(seeded.files).toEqual({ created: 0, updated: 0, kept: 1 })
  for (const { items } of lists) expect(items.map(({ id }) => id)).toEqual([below.id, above.id])
})
