/** Measures saving and loading a snapshot. */
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { fill } from '../tools/posts.js'
import { inTurns } from '../tools/rounds.js'

const small = { documents: 10_000, files: 100, fileBytes: 10_000 }

/** @typedef {import('../tools/dev.js').Dev} Dev @typedef {import('../tools/table.js').Row} Row */

/**
 * Measures a project as small as a test's. Resets before loading, so that everything is restored. @returns
 * {Promise<Row[]>}
 */
export async function measure() {
  const dev = await startDev(newPath())
  await fill(dev, 'posts', small.documents)
  for (let at = 0; at < small.files; at++) await upload(dev, `file-${at}.bin`)
  const times = await inTurns({
    save: () => timed(() => dev.control('POST', '/projects/dev/snapshots', { name: 'state', replace: true })),
    async load() {
      await dev.control('POST', '/projects/dev/reset', {})
      return timed(() => dev.control('POST', '/projects/dev/snapshots/state/load', {}))
    },
  })
  await dev.stop()
  const what = `${small.documents.toLocaleString('en')} documents and ${small.files} files`
  return Object.entries(times).map(([name, values]) => ({
    what: `snapshot ${name} of ${what}`,
    against: 'nothing: a limit',
    values,
    target: { atMost: 1_000 },
    unit: 'ms',
  }))
}

/** @param {Dev} dev @param {string} name */
async function upload({ url, headers }, name) {
  const form = new FormData()
  form.set('file', new Blob([name.repeat(small.fileBytes / name.length)]), name)
  const answer = await fetch(`${url}/storage/upload`, { method: 'POST', headers, body: form })
  if (!answer.ok) throw new Error(`upload: ${answer.status}`)
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const begunAt = performance.now()
  await work()
  return performance.now() - begunAt
}
