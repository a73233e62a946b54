/**
 * The service in memory, with a project whose requests are recorded and one whose are not; `off` records none at all, and `faults`
 * none either, with faults in another project.
 */
import { built } from '../tools/built.js'
import { posts } from '../tools/posts.js'

/** @type {typeof import('../../emulator/dev.js')} */
const { startEmulator } = await built('emulator/dev.js')
const emulator = await startEmulator({ memory: true, requestLog: process.argv[2] === 'on' })

/** @param {boolean} requestLog */
async function aProject(requestLog) {
  const ask = async (/** @type {string} */ path, /** @type {object} */ body, /** @type {object} */ headers) => {
    const answer = await fetch(emulator.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return answer.json()
  }
  const control = { 'svc-control-token': emulator.controlToken }
  const { secretKey } = await ask('/_svc/api/projects', { settings: { requestLog } }, control)
  const headers = { 'x-api-key': secretKey }
  await ask('/collections', { name: 'posts' }, headers)
  const made = await ask('/collections/posts/batch', { documents: posts(1_000) }, headers)
  return made.map((/** @type {{ id: string }} */ { id }) => ({
    method: 'GET',
    path: `/collections/posts/${id}`,
    headers,
  }))
}

if (process.argv[2] === 'faults') {
  await fetch(`${emulator.url}/_svc/api/faults/presets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'svc-control-token': emulator.controlToken },
    body: JSON.stringify({ preset: 'flaky', project: emulator.projectId }),
  })
}

const asks = { recorded: await aProject(true), quiet: await aProject(false) }
process.on('message', () => process.send?.(asks))
process.send?.({ port: Number(new URL(emulator.url).port) })
