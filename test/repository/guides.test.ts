/** Checks the code that users copy from guides, templates and READMEs: it compiles, and runs no foreign command. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveFlags } from '../../cli/serve/serve-flags.js'
import { tool } from '../fixtures/packages/packages.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guides = (await readdir(join(root, 'docs/guides'))).filter((name) => name.endsWith('.md'))
const read = (path: string) => readFile(join(root, path), 'utf8')

const expressBefore = `import express from 'express'
import { createServerClient } from 'svc-toolkit-client/server'
declare const [url, apiKey]: [string, string]
const app = express()
`

/** Per guide, in which file each block stands, and what stands around it. Guides of frameworks have tests of their own. */
const placed: Readonly<Record<string, readonly (readonly [file: string, before: string, after: string])[]>> = {
  'add-to-your-app.md': [['posts.tsx', '', '']],
  'next.md': [
    ['page.tsx', '', ''],
    ['popular.tsx', '', ''],
    ['visitor.tsx', '', ''],
    ['proxy.tsx', '', ''],
  ],
  'server-sessions.md': [['express.ts', expressBefore, '']],
  'types.md': [
    ['svc-types.ts', "import type { Link } from 'svc-toolkit-client'\n", 'export interface Author { name: string }'],
    ['app.ts', 'declare const [url, apiKey]: [string, string]\n', 'console.log(items)'],
  ],
}

/** Files that `svc init` creates next to them. */
const client = `import { createClient } from 'svc-toolkit-client'
export interface Collections { posts: { title: string } }
export const svc = createClient<Collections>({ url: '', apiKey: '' })
`

let folder: string
beforeAll(async () => {
  // Inside the tree, so that its packages are found.
  folder = await mkdtemp(join(root, 'test/.docs-guides-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('the code of the guides that is not run compiles', async () => {
  const found = new Map<string, number>()
  for (const guide of guides.filter((name) => !/^(react|svelte|vue)\.md$/.test(name))) {
    const blocks = [...(await read(`docs/guides/${guide}`)).matchAll(/^```(?:typescript|tsx)\n(.*?)^```$/gms)]
    if (blocks.length > 0) found.set(guide, blocks.length)
    for (const [at, [file, before, after]] of (placed[guide] ?? []).entries()) {
      const [name = '', ...ending] = file.split(/(?=\.\w+$)/)
      const path = file.includes('types') || file === 'app.ts' ? file : [`${name}-${guide}`, ...ending].join('')
      await writeFile(join(folder, path), `${before}${blocks[at]?.[1]}${after}\n`)
    }
  }
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, target: 'es2022' },
    ...{ module: 'esnext', moduleResolution: 'bundler', jsx: 'react-jsx', types: ['node'] },
    paths: {
      'svc-toolkit-client': [join(root, 'client/index.ts')],
      'svc-toolkit-client/server': [join(root, 'client/server.ts')],
      '@/*': [join(folder, '*')],
    },
  }
  await writeFile(join(folder, 'svc.ts'), client)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))

  const ran = await execa(process.execPath, [tool('typescript/bin/tsc'), '-p', folder], { reject: false, all: true })

  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(placed).map(([guide, blocks]) => [guide, blocks.length])),
  )
  expect(ran.all).toBe('')
})

/** In the registry, `svc` is a package of somebody else, which `npx svc` would run where ours is not installed. */
const texts = [
  ...['README.md', 'client/README.md', ...guides.map((name) => `docs/guides/${name}`)],
  ...(await readdir(join(root, 'templates'), { recursive: true }))
    .filter((path) => path.endsWith('.md'))
    .map((path) => `templates/${path}`),
]
const installs = /npm ci\b|npm install( --\S+)*$|npm install .*\bsvc-toolkit(?!-)/m

it('no guide or README has “npx svc” before what installs it', async () => {
  const without: string[] = []
  for (const path of texts) {
    const [before = '', ...uses] = (await read(path)).split(/\bnpx svc(?![-\w])/)
    if (uses.length > 0 && !installs.test(before)) without.push(path)
  }

  expect(without).toEqual([])
})

const sources = async (folder: string) =>
  Promise.all(
    (await readdir(join(root, folder), { recursive: true }))
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map(async (path) => ({ path, text: await read(`${folder}/${path}`) })),
  )

it('the guide to undo names each command that it takes back', async () => {
  const text = (await read('docs/guides/reset-snapshots-undo.md')).replaceAll('\n', ' ')
  const [, named = ''] = /save a snapshot first and print its name: (.*?) The \[dashboard\]/.exec(text) ?? []
  const words = (await sources('cli/commands'))
    .filter((source) => source.text.includes('this.undoably('))
    .map(({ path }) => path.replace(/(\/index)?\.ts$/, '').replaceAll('/', ' '))

  // The class of `docs update --where` is in a folder of its own.
  expect([...words, 'docs update'].filter((command) => !named.includes(`\`${command}`))).toEqual([])
  expect(words.length).toBeGreaterThan(5)
})

it('the guides name each command', async () => {
  const { commands } = JSON.parse(await read('oclif.manifest.json')) as { commands: Record<string, object> }
  const text = (await Promise.all([...texts, 'docs/dialects.md'].map(read))).join('\n')
  const words = Object.keys(commands).map((id) => `svc ${id.replaceAll(':', ' ')}`)

  expect(words.filter((command) => !new RegExp(`${command}\\b`).test(text))).toEqual([])
  expect(words.length).toBeGreaterThan(100)
})

it('the guides name each variable of the environment that commands read or set', async () => {
  const text = (await Promise.all(guides.map((name) => read(`docs/guides/${name}`)))).join('\n')
  const found = [...(await sources('cli')), ...(await sources('seeds'))].flatMap((source) => [
    ...source.text.matchAll(/\bSVC_[A-Z_]*[A-Z]\b/g),
  ])
  const names = [...new Set(found.map(([name]) => name))]
  // `svc serve` has one for each flag, which its guide says; the other is between two processes of `svc dev`.
  const isSaid = (name: string) =>
    text.includes(name) ||
    Object.hasOwn(serveFlags, name.slice('SVC_'.length).toLowerCase().replaceAll('_', '-')) ||
    name === 'SVC_DEV_IN_BACKGROUND'

  expect(names.filter((name) => !isSaid(name))).toEqual([])
})
