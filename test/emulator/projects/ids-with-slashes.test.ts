/** Projects whose ids run into one another with what is written behind them. */
import { expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService } from '../../../emulator/assembly/open-service.js'
import { openProject } from '../../../emulator/core/projects/projects.js'

it('contract 2.3 a key of the project "a" finds nothing of the project "a/b", also while that is cached', async () => {
  const service = await openService({ ...defaultConfig, memory: true, project: 'a/b' })
  const { apiKey } = await openProject(service.backend, 'a')
  const ask = async (key: string, method: string, path: string, body?: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'svc-dialect': 'a' }
    const answer = await fetch(`${service.url}${path}`, { method, headers, body: body && JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as { id: string } }
  }
  const own = (method: string, path: string, body?: object) => ask(service.apiKey, method, path, body)
  await own('POST', '/collections', { name: 'posts' })
  const { id } = (await own('POST', '/collections/posts', { title: 'Theirs' })).body

  for (const [method, path, body] of [
    ['GET', '/documents'],
    ['GET', `/${id}`],
    ['PATCH', `/${id}`, { title: 'Mine' }],
    ['PUT', `/${id}`, { title: 'Mine' }],
    ['DELETE', `/${id}`],
  ] as const) {
    expect((await own('GET', `/collections/posts/${id}`)).status).toBe(200)
    expect([method, (await ask(apiKey, method, `/collections/b%2Fposts${path}`, body)).status]).toEqual([method, 404])
  }

  expect((await own('GET', `/collections/posts/${id}`)).body).toMatchObject({ data: { title: 'Theirs' } })
  await service.close()
})
