/** `--public-url` is another one after a restart: files are reached by their former addresses, which are rewritten by the guide. */
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { bin } from '../cli/command-line.js'
import { send } from '../fixtures/requests/http.js'
import { adminToken, openServeWorld, type ServeWorld } from '../fixtures/serve.js'

let world: ServeWorld
beforeAll(async () => {
  world = await openServeWorld()
})
afterAll(() => world.close())

interface Collections extends Record<string, object> {
  readonly posts: { readonly cover: string; readonly title: string }
}

const formerUrl = 'https://former.example'
const newUrl = 'https://new.example'
const guide = new URL('../../docs/guides/serve-operations.md', import.meta.url)

it('files go on being reached by the former name that is allowed, until documents are rewritten as the guide says', async () => {
  const former = await world.start('--public-url', formerUrl)
  const { secretKey } = await former.newProject()
  const owner = createClient<Collections>({ url: former.url, apiKey: secretKey })
  await owner.collections.create({ name: 'posts' })
  const posts = owner.collection('posts')
  const { id, data } = await posts.create({ title: 'with', cover: new Blob(['bytes']) as never })
  const other = await posts.create({ title: `see ${formerUrl}/files/`, cover: 'none' })
  expect(data.cover).toMatch(`${formerUrl}/files/`)
  await former.stop()

  const next = await world.start('--public-url', newUrl, '--allowed-host', 'former.example')
  const { url } = next
  const moved = createClient<Collections>({ url, apiKey: secretKey })
  const fetched = async (address: string, host = new URL(address).host) => {
    const { status, text } = await send(url, { method: 'GET', path: new URL(address).pathname, headers: { host } })
    return [status, status === 200 ? text : '']
  }
  expect((await moved.collection('posts').get(id)).data.cover).toBe(data.cover)
  expect((await moved.files.list()).items[0]?.url).toBe(data.cover.replace(formerUrl, newUrl))
  expect(await fetched(data.cover)).toEqual([200, 'bytes'])
  expect(await fetched(data.cover, 'strange.example')).toEqual([403, ''])
  const controlled = async (host: string) => {
    const headers = { host, 'svc-control-token': adminToken }
    return (await send(next.adminUrl, { method: 'GET', path: '/_svc/api/projects', headers })).status
  }
  expect([await controlled('former.example'), await controlled('strange.example')]).toEqual([200, 403])

  await runGuide({ SVC_URL: url, SVC_API_KEY: secretKey, FORMER_URL: formerUrl, SVC_PUBLIC_URL: newUrl })

  const rewritten = await moved.collection('posts').get(id)
  expect(rewritten.data.cover).toBe(data.cover.replace(formerUrl, newUrl))
  expect(await moved.collection('posts').get(other.id)).toMatchObject({ data: other.data, version: 1 })
  expect(await fetched(rewritten.data.cover)).toEqual([200, 'bytes'])
  await moved.collection('posts').delete(id)
  expect(await fetched(rewritten.data.cover)).toEqual([404, ''])
  await next.stop()
})

async function runGuide(env: Readonly<Record<string, string>>): Promise<void> {
  const text = await readFile(guide, 'utf8')
  const part = text.slice(text.indexOf('## Change the public address'), text.indexOf('## Find out why it is slow'))
  const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(part) ?? []
  await writeFile(join(world.folder, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o755 })
  const { exitCode, stderr } = await execa('bash', ['-eu', '-o', 'pipefail', '-c', commands], {
    ...{ cwd: world.folder, extendEnv: false, reject: false },
    env: { ...world.env, ...env, PATH: [world.folder, process.env.PATH].join(delimiter) },
  })
  expect(exitCode, stderr).toBe(0)
}
