/** A snapshot of a project that was deleted, loaded into another one, with the secret that signs tokens. Contract 11. */
import { afterEach, expect, it, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService } from '../../../emulator/assembly/open-service.js'

afterEach(() => {
  vi.useRealTimers()
})

it('a login right after a load goes on being valid', async () => {
  const service = await openService({ ...defaultConfig, memory: true })
  const { url, controlToken } = service
  const ask = async (method: string, path: string, body?: object | ArrayBuffer) => {
    const headers = { 'svc-control-token': controlToken, 'content-type': 'application/json' }
    const sent = body instanceof ArrayBuffer ? body : JSON.stringify(body)
    const answer = await fetch(`${url}/_svc/api/projects${path}`, { method, headers, ...(body ? { body: sent } : {}) })
    expect([200, 201]).toContain(answer.status)
    return answer
  }
  const aProject = async () => {
    const { id, apiKey } = (await (await ask('POST', '', { name: 'test' })).json()) as { id: string; apiKey: string }
    return { id, auth: createClient({ url, apiKey }).auth }
  }
  const account = { email: 'ada@example.com', password: 'Correct4Horse' }
  const origin = await aProject()
  await origin.auth.signUp(account)
  await ask('POST', `/${origin.id}/snapshots`, { name: 'demo' })
  const archive = await (await ask('GET', `/${origin.id}/snapshots/demo/file?secrets=true`)).arrayBuffer()
  await ask('DELETE', `/${origin.id}`)
  const { id, auth } = await aProject()
  await ask('POST', `/${id}/snapshot-file?name=demo`, archive)
  vi.useFakeTimers({ toFake: ['performance'] })
  await auth.signUp({ ...account, email: 'bob@example.com' })

  await ask('POST', `/${id}/snapshots/demo/load`, {})
  await auth.logIn(account)
  // The cache has expired.
  vi.advanceTimersByTime(2_000)

  expect(await auth.me()).toMatchObject({ email: account.email })
  await service.close()
})
