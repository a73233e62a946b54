/** An existing app, from `svc init` to a live list on a page, by the commands that a user types. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import getPort from 'get-port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanEnv } from '../cli/command-line.js'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { type Installed, install, linkTo, pack, tool } from '../fixtures/packages/packages.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const svc = 'node_modules/.bin/svc'

/** The component of the guide, with the client's path in this app. */
const [component = ''] = await blocksOf('add-to-your-app.md')
const posts = (client: string) => component.replace("'./svc'", `'${client}'`)

async function blocksOf(guide: string): Promise<string[]> {
  const text = await readFile(join(here, '../../docs/guides', guide), 'utf8')
  return [...text.matchAll(/^```tsx\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

const compilerOptions = {
  ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], module: 'esnext', moduleResolution: 'bundler' },
  ...{ jsx: 'react-jsx', strict: true, noEmit: true, skipLibCheck: true, isolatedModules: true, types: [] },
}
const json = (value: unknown) => JSON.stringify(value, null, 2)

interface App {
  /** The files before `svc init`. */
  readonly files: Readonly<Record<string, string>>
  /** The component that is added, and the page that shows it. */
  readonly page: Readonly<Record<string, string>>
  readonly dev: (port: string) => readonly string[]
  readonly checks: readonly (readonly string[])[]
}

const vite: App = {
  files: {
    'package.json': json({ private: true, type: 'module', devDependencies: { vite: linkTo('vite') } }),
    'tsconfig.json': json({ compilerOptions, include: ['src'] }),
    'index.html': '<!doctype html><div id="root"></div><script type="module" src="/src/main.tsx"></script>',
    'src/main.tsx': '',
  },
  page: {
    'src/Posts.tsx': posts('./svc'),
    'src/main.tsx': `import { createRoot } from 'react-dom/client'
import { Posts } from './Posts'

createRoot(document.getElementById('root')!).render(<Posts />)
`,
  },
  dev: (port) => [tool('vite/bin/vite.js'), '--host', '127.0.0.1', '--port', port, '--strictPort'],
  checks: [
    [tool('typescript/bin/tsc'), '-p', '.'],
    [tool('vite/bin/vite.js'), 'build'],
  ],
}

const next: App = {
  files: {
    'package.json': json({ private: true, dependencies: { next: linkTo('next') } }),
    'tsconfig.json': json({ compilerOptions: { ...compilerOptions, allowJs: true, types: ['node'] } }),
    // Its dependencies are in the repository around it.
    'next.config.mjs': `export default { turbopack: { root: ${json(join(here, '..', '..'))} } }`,
    'app/layout.tsx': `export default function Layout({ children }: { children: React.ReactNode }) {
  return <html lang="en"><body>{children}</body></html>
}
`,
    'app/page.tsx': 'export default function Page() {\n  return <h1>Posts</h1>\n}\n',
  },
  page: {
    'app/Posts.tsx': `'use client'\n${posts('../svc')}`,
    'app/page.tsx': `import { SvcError } from 'svc-toolkit'
import { Posts } from './Posts'

export default function Page() {
  return <main data-error={new SvcError('NOT_FOUND', '').code}><Posts /></main>
}
`,
  },
  dev: (port) => [tool('next/dist/bin/next'), 'dev', '--hostname', '127.0.0.1', '--port', port],
  checks: [[tool('next/dist/bin/next'), 'build']],
}

let chromium: OpenBrowser
let tarballs: readonly string[]
const children: ChildProcess[] = []
const projects: Installed[] = []

beforeAll(async () => {
  chromium = await openChromium()
  tarballs = Object.values(await pack())
})
afterAll(async () => {
  for (const child of children.reverse()) await end(child)
  for (const project of projects) await project.remove()
  await chromium?.close()
})

test.each([
  ['Vite', vite],
  ['Next', next],
])('an existing %s app goes from svc init to a live list on a page', async (name, app) => {
  const project = await install(tarballs, { place: join(here, 'app-'), files: app.files })
  projects.push(project)
  await succeed(project, [svc, 'init', '--yes'])
  const emulator = start(project, [svc, 'dev', '--port', '0', '--memory', '--json'])
  await until(emulator, /"type":"ready"/)
  await succeed(project, [svc, 'collections', 'create', 'posts'])
  await succeed(project, [svc, 'docs', 'create', 'posts', 'title=Hello'])
  await project.write(app.page)

  const port = String(await getPort())
  const server = start(project, app.dev(port))
  await until(server, /ready/i)
  const page = await chromium.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(`http://127.0.0.1:${port}/`)
  await page.getByRole('listitem').filter({ hasText: 'Hello' }).waitFor()
  await succeed(project, [svc, 'docs', 'create', 'posts', 'title=Live'])
  await page.getByRole('listitem').filter({ hasText: 'Live' }).waitFor()
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) })
  const shown = await page.getByRole('listitem').allTextContents()
  await page.close()
  await end(server)
  for (const check of app.checks) await succeed(project, check)

  expect(shown).toEqual(['Live', 'Hello'])
  expect(problems).toEqual([])
  expect(await readFile(join(project.folder, '.env.local'), 'utf8')).toMatch(/_SVC_API_KEY=svc_\w+/)
})

test('a Next app with Cache Components builds lists in server components, read for each request and cached', async () => {
  const [page = '', popular = '', visitor = '', proxy = ''] = await blocksOf('next.md')
  const files = {
    ...next.files,
    'tsconfig.json': json({
      compilerOptions: { ...compilerOptions, allowJs: true, types: ['node'], paths: { '@/*': ['./*'] } },
    }),
    'next.config.mjs': next.files['next.config.mjs']?.replace('{ ', '{ cacheComponents: true, ') ?? '',
  }
  const project = await install(tarballs, { place: join(here, 'app-'), files })
  projects.push(project)
  await succeed(project, [svc, 'init', '--yes'])
  await until(start(project, [svc, 'dev', '--port', '0', '--memory', '--json']), /"type":"ready"/)
  await succeed(project, [svc, 'collections', 'create', 'posts'])
  await succeed(project, [svc, 'docs', 'create', 'posts', 'title=First'])
  await project.write({
    'app/page.tsx': page,
    'app/popular/page.tsx': `${popular}export default Popular\n`,
    'proxy.ts': proxy,
    'app/visitor/page.tsx': `import { Suspense } from 'react'\n${visitor}
async function Titles() {
  const { items } = await (await openVisitor()).collection('posts').list()
  return <ul>{items.map(({ id, data }) => <li key={id}>{String(data.title)}</li>)}</ul>
}
export default function Page() {
  return <Suspense><Titles /></Suspense>
}
`,
  })

  await succeed(project, [tool('next/dist/bin/next'), 'build'])
  await succeed(project, [svc, 'docs', 'create', 'posts', 'title=Second'])
  const port = String(await getPort())
  const server = start(project, [tool('next/dist/bin/next'), 'start', '--hostname', '127.0.0.1', '--port', port])
  await until(server, /ready/i)
  const shown: Record<string, string[]> = {}
  for (const path of ['', 'popular', 'visitor']) {
    const text = await (await fetch(`http://127.0.0.1:${port}/${path}`)).text()
    shown[path] = [...text.matchAll(/<li>(\w+)<\/li>/g)].map(([, title = '']) => title)
  }
  await end(server)

  expect(shown).toEqual({ '': ['Second', 'First'], popular: ['First'], visitor: ['Second', 'First'] })
})

async function succeed(project: Installed, words: readonly string[]): Promise<void> {
  const { exitCode, all } = await project.node(...words)
  expect(exitCode, `${words.join(' ')}\n${all}`).toBe(0)
}

function start(project: Installed, words: readonly string[]): ChildProcess {
  const env = { ...cleanEnv(project.folder), NEXT_TELEMETRY_DISABLED: '1' }
  const child = spawn(process.execPath, words, { cwd: project.folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  return child
}

/** Waits for output of a process; fails if it exits before. */
async function until(child: ChildProcess, said: RegExp): Promise<void> {
  let text = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (piece) => {
        text += piece
        if (said.test(text)) resolve()
      })
    }
    child.on('exit', () => reject(new Error(`It ended before it was ready: ${text}`)))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
