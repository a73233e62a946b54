/** Automatic snapshots share what room there is for them. Contract 12.6. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/config.js'
import { trimAutomatic } from '../../../emulator/core/snapshots/automatic.js'
import { listSnapshots, saveAutomatically, saveSnapshot } from '../../../emulator/core/snapshots/snapshots.js'
import { openService, type Service } from '../../../emulator/open-service.js'

let service: Service
beforeAll(async () => {
  service = await openService({ ...defaultConfig, memory: true })
})
afterAll(() => service.close())

it('contract 12.6 the oldest automatic snapshots go first, and none that was asked for', async () => {
  const { backend, project } = service
  await saveSnapshot(backend, project.id, { name: 'asked-for' })
  const saved = []
  for (const command of ['first', 'second', 'third']) {
    saved.push(await saveAutomatically(backend, project.id, { command }))
  }
  const [newest] = saved.slice(-1)
  if (!newest) throw new Error('Nothing was saved.')

  await trimAutomatic(backend, newest, newest.bytes * 2.5)
  const kept = await listSnapshots(backend, project.id)
  const refused = await trimAutomatic(backend, newest, newest.bytes - 1).catch(({ code }) => code)

  expect(kept.map(({ name, command }) => command ?? name)).toEqual(['third', 'second', 'asked-for'])
  expect(refused).toBe('STORAGE_LIMIT')
  expect((await listSnapshots(backend, project.id)).map(({ name }) => name)).toEqual(['asked-for'])
})
