/** Files: 1 GB up and down, small ones, and a page of many. */
import { mkdir } from 'node:fs/promises'
import { startContender } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { startLoad } from '../tools/load.js'
import { watchMemory } from '../tools/memory.js'
import { fill, post } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'
import { readBytes, sendBytes } from '../tools/stream.js'

const gigabyte = 1_000 * 1024 * 1024
const connections = 50
const milliseconds = 3_000
const boundary = '----formdata-undici-060318362510'
const formType = { 'content-type': `multipart/form-data; boundary=${boundary}` }
const before = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\ncontent-type: application/octet-stream\r\n\r\n`
const after = `\r\n--${boundary}--\r\n`

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const dev = await startDev(newPath())
  await dev.control('PATCH', '/projects/dev', { settings: { tier: 'enterprise' } })
  const rows = [...(await streams(dev)), ...(await smallFiles(dev)), await pages(dev)]
  await dev.stop()
  return rows
}

/** @param {import('../tools/dev.js').Dev} dev @returns {Promise<import('../tools/table.js').Row[]>} */
async function streams(dev) {
  const folder = newPath()
  await mkdir(folder)
  const bare = await startContender('contenders/streams.js', [folder])
  const upload = { port: dev.port, path: '/storage/upload', headers: { ...dev.headers, ...formType }, before, after }
  let path = ''
  /** @type {number[]} */
  const grown = []
  const measured = async (/** @type {() => Promise<number>} */ work) => {
    const memory = watchMemory(dev.pid)
    const result = await work()
    grown.push(memory.stop())
    return result
  }

  const up = await inTurns(
    {
      bare: async () => (await sendBytes({ port: bare.port, path: '/', bytes: gigabyte })).perSecond,
      svc: () =>
        measured(async () => {
          const { perSecond, answer } = await sendBytes({ ...upload, bytes: gigabyte })
          const { id, url } = JSON.parse(answer)
          if (path !== '') await dev.ask('DELETE', `/storage/file/${path.split('/')[2]}`)
          path = new URL(url).pathname
          if (!path.includes(id)) throw new Error(`Not an address: ${url}`)
          return perSecond
        }),
    },
    { rounds: 5 },
  )
  const down = await inTurns(
    {
      bare: () => readBytes({ port: bare.port, path: '/' }),
      svc: () => measured(() => readBytes({ port: dev.port, path })),
    },
    { rounds: 5 },
  )
  await bare.stop()
  const figures = (/** @type {number[]} */ ours, /** @type {number[]} */ theirs) =>
    `${rounded(median(ours))} MB/s, ${rounded(median(theirs))} MB/s`
  return [
    {
      what: 'upload of 1 GB',
      against: 'bare node:http to the same disk',
      values: ratios(up.svc, up.bare),
      target: { atLeast: 0.7 },
      figures: figures(up.svc, up.bare),
    },
    {
      what: 'download of 1 GB',
      against: 'bare node:http from the same disk',
      values: ratios(down.svc, down.bare),
      target: { atLeast: 0.7 },
      figures: figures(down.svc, down.bare),
    },
    { what: 'memory that 1 GB up or down takes', against: '', values: grown, target: { atMost: 60 }, unit: ' MB' },
  ]
}

/** @param {import('../tools/dev.js').Dev} dev @returns {Promise<import('../tools/table.js').Row[]>} */
async function smallFiles(dev) {
  await dev.ask('POST', '/collections', { name: 'notes' })
  const load = await startLoad()
  const drive = (/** @type {import('../load.js').Ask} */ ask) => async () =>
    (await load.drive({ port: dev.port, connections, milliseconds, asks: [ask] })).perSecond
  const body = before + 'x'.repeat(10_240) + after
  const { uploads, creates } = await inTurns({
    creates: drive({ method: 'POST', path: '/collections/notes', headers: dev.headers, body: JSON.stringify(post(1)) }),
    uploads: drive({ method: 'POST', path: '/storage/upload', headers: { ...dev.headers, ...formType }, body }),
  })
  await load.stop()
  return [
    {
      what: 'upload of 10 KB, 50 connections',
      against: 'creates of documents',
      values: ratios(uploads, creates),
      target: { atLeast: 0.5 },
      figures: `${rounded(median(uploads))}/s, ${rounded(median(creates))}/s`,
    },
  ]
}

/** @param {import('../tools/dev.js').Dev} dev @returns {Promise<import('../tools/table.js').Row>} */
async function pages(dev) {
  const { files } = await dev.ask('GET', '/storage/info')
  await fill(dev, 'posts', Math.max(10_000, files))
  const load = await startLoad()
  const drive = (/** @type {string} */ path) => async () =>
    (
      await load.drive({
        ...{ port: dev.port, connections: 10, milliseconds },
        asks: [{ method: 'GET', path, headers: dev.headers }],
      })
    ).perSecond
  const { page, documents } = await inTurns({
    documents: drive('/collections/posts?limit=20'),
    page: drive('/storage/list?limit=20'),
  })
  await load.stop()
  return {
    what: `page of 20 of ${rounded(files)} files`,
    against: 'a page of documents',
    values: ratios(page, documents),
    target: { atLeast: 0.9 },
    figures: `${rounded(median(page))}/s, ${rounded(median(documents))}/s`,
  }
}
