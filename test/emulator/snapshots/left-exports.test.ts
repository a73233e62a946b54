/** A snapshot whose reader leaves while it is exported. */
import { get } from 'node:http'
import type { Readable } from 'node:stream'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService } from '../../../emulator/assembly/open-service.js'
import { controlOf } from '../../fixtures/events.js'
import { patiently } from '../../fixtures/patience.js'

it('leaves no file open whose store answers after the reader has left', async () => {
  const service = await openService({ ...defaultConfig, memory: true, port: 0 })
  onTestFinished(() => service.close())
  const { url, apiKey = '', controlToken, project, backend } = service
  await createClient({ url, apiKey }).files.upload(new Blob(['x'.repeat(1_000_000)]))
  await controlOf(service).snapshots.save({ project: project.id, name: 'full' })
  const opened: Readable[] = []
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { read } = backend.files
  const asked = vi.fn(async (...wanted: Parameters<typeof read>) => {
    await answered
    const bytes = await read(...wanted)
    if (bytes) opened.push(bytes)
    return bytes
  })
  Object.assign(backend.files, { read: asked })

  const headers = { 'svc-control-token': controlToken }
  const reader = get(`${url}/_svc/api/projects/${project.id}/snapshots/full/file`, { headers })
  reader.on('error', () => undefined).on('response', (res) => res.resume().on('error', () => undefined))
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1), patiently)
  reader.destroy()
  // By the time it answers, the service has learned that the reader has left.
  await fetch(`${url}/health`)
  answer()

  await vi.waitFor(() => expect(opened.map(({ destroyed }) => destroyed)).toEqual([true]), patiently)
})
