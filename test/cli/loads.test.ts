/** Limits the modules that commands and the test helper load, since loading takes most of their time. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from './command-line.js'
import { openFakeService } from './fake-service.js'

/** Written to a file as a process exits: the modules of Node that it loaded. */
const listing = `process.on('exit', () => require('node:fs').writeFileSync(process.env.LOADED, process.moduleLoadList.join('\\n')))`
/** The same of files, one by one as they are loaded. */
const filesListing = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(\`import { appendFileSync } from 'node:fs'
export function load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(process.env.LOADED, url + String.fromCharCode(10))
  return next(url, context)
}\`))`
const fetchItself = 'NativeModule internal/deps/undici/undici'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test.each([
  ['docs list', ['docs', 'list', 'posts']],
  ['docs create', ['docs', 'create', 'posts', 'title=Hello']],
  ['collections list', ['collections', 'list']],
])('svc %s asks a service on this machine without loading fetch', async (_name, words) => {
  const service = await openFakeService(({ method, path }) => {
    if (method === 'POST') return { status: 201, body: { id: 'd1', data: { title: 'Hello' }, createdAt: 't' } }
    return { body: path.startsWith('/collections/') ? { documents: [], total: 0, limit: 20, offset: 0 } : [] }
  })
  const loaded = join(world.folder, 'loaded.txt')
  const script = join(world.folder, 'listing.cjs')
  await writeFile(script, listing)

  const ran = await world.svc([...words, '--url', service.url, '--key', 'svc_key_x'], {
    env: { NODE_OPTIONS: `--require ${script}`, LOADED: loaded },
  })

  service.close()
  const modules = (await readFile(loaded, 'utf8')).split('\n')
  expect(ran.exit).toBe(0)
  expect(service.asked).not.toEqual([])
  expect(modules).toContain('NativeModule http')
  expect(modules).not.toContain(fetchItself)
})

test('svc dev answers, and a command beside it ends, without loading fetch', async () => {
  const loaded = join(world.folder, 'loaded-by-dev.txt')
  const script = join(world.folder, 'listing.cjs')
  await writeFile(script, listing)

  const ran = await world.svc(['dev', '--memory', '--port', '0', '--', 'node', '-e', '0'], {
    env: { NODE_OPTIONS: `--require ${script}`, LOADED: loaded },
  })

  expect(ran.exit, ran.stderr).toBe(0)
  const modules = (await readFile(loaded, 'utf8')).split('\n')
  expect(modules).toContain('NativeModule http')
  expect(modules).not.toContain(fetchItself)
})

test.each([
  ['docs list', ['docs', 'list', 'posts']],
  ['collections list', ['collections', 'list']],
])('svc %s loads no cryptography, and sorts nothing by the rules of a language', async (_name, words) => {
  const service = await openFakeService(({ path }) => {
    return { body: path.startsWith('/collections/') ? { documents: [], total: 0, limit: 20, offset: 0 } : [] }
  })
  const loaded = join(world.folder, 'sorted.txt')
  const script = join(world.folder, 'sorting.cjs')
  const counting = `const { localeCompare } = String.prototype
    String.prototype.localeCompare = function (...texts) {
      process.moduleLoadList.push('localeCompare')
      return localeCompare.apply(this, texts)
    }\n`
  await writeFile(script, counting + listing)

  const ran = await world.svc([...words, '--url', service.url, '--key', 'svc_key_x'], {
    env: { NODE_OPTIONS: `--require ${script}`, LOADED: loaded },
  })

  service.close()
  const modules = (await readFile(loaded, 'utf8')).split('\n')
  expect(ran.exit).toBe(0)
  expect(modules).toContain('NativeModule http')
  expect(modules).not.toContain('NativeModule crypto')
  expect(modules).not.toContain('localeCompare')
})

test('svc docs list loads few files, since each has to be found, read and linked', async () => {
  const service = await openFakeService(() => ({ body: { documents: [], total: 0, limit: 20, offset: 0 } }))

  const files = await filesOf(['docs', 'list', 'posts', '--url', service.url, '--key', 'svc_key_x'])

  service.close()
  expect(files.length).toBeGreaterThan(3)
  expect(files.length).toBeLessThanOrEqual(12)
})

test('svc prints its commands without loading what runs them', async () => {
  expect((await filesOf(['--help'])).length).toBeLessThanOrEqual(4)
})

test('svc dev loads few files, and no driver of PostgreSQL for a database of its own', async () => {
  const files = await filesOf(['dev', '--memory', '--port', '0', '--', 'node', '-e', '0'])

  // Once: the thread that is started before the command is parsed is the one that the database runs in.
  expect(files.filter((url) => url.endsWith('/pglite/worker.js'))).toHaveLength(1)
  expect(files.filter((url) => url.includes('/node_modules/pg/'))).toEqual([])
  expect(files.filter((url) => !url.includes('/node_modules/')).length).toBeLessThanOrEqual(52)
})

test('the test helper loads few files, starts PGlite before the most of them, and has fetch before the database', async () => {
  const helper = join(world.folder, 'helper.mjs')
  const built = fileURLToPath(new URL('../../dist/emulator/testing/index.js', import.meta.url))
  const script = `import { readFileSync } from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    import threads from 'node:worker_threads'
    threads.Worker = class extends threads.Worker {
      constructor(...given) {
        super(...given)
        console.log('started', readFileSync(process.env.LOADED, 'utf8').includes('/bundled/dev.js'))
      }
      emit(...event) {
        if (event[1] === 'open') console.log('open', process.moduleLoadList.includes(${JSON.stringify(fetchItself)}))
        return super.emit(...event)
      }
    }
    syncBuiltinESMExports()
    const { startTestEmulator } = await import(${JSON.stringify(built)})
    await (await startTestEmulator()).close()`
  await writeFile(helper, script)

  let said = ''
  const files = await loadedBy('helper', async (env) => {
    said = (await execa(process.execPath, [helper], { env })).stdout
  })

  expect(said.split('\n')).toEqual(['started false', 'open true'])
  expect(files.filter((url) => url.includes('/dist/')).length).toBeLessThanOrEqual(41)
})

/** The files that a command loads until it ends, with those of its threads. */
function filesOf(words: readonly string[]): Promise<readonly string[]> {
  return loadedBy(String(words[0]), async (env) => {
    const ran = await world.svc(words, { env })
    expect(ran.exit, ran.stderr).toBe(0)
  })
}

/** The files that a process with this environment loads until it ends. */
async function loadedBy(name: string, work: (env: Record<string, string>) => Promise<void>): Promise<string[]> {
  const loaded = join(world.folder, `files-${name}.txt`)
  const script = join(world.folder, 'files-listing.mjs')
  await writeFile(script, filesListing)
  await work({ NODE_OPTIONS: `--import ${script}`, LOADED: loaded })
  return (await readFile(loaded, 'utf8')).trim().split('\n')
}
