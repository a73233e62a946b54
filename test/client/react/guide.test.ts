/** The React guide, step by step: its commands, its files under `strict`, and its list in a page. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { createElement, type FunctionComponent } from 'react'
import { createRoot } from 'react-dom/client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import type { TestEmulator, TestProject } from '../../../emulator/testing/index.js'
import { openWorld, type World } from '../../cli/command-line.js'
import { aPlace } from '../../fixtures/dom.js'
import { tool } from '../../fixtures/packages/packages.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const guide = await readFile(join(root, 'docs/guides/react.md'), 'utf8')
const existing = await readFile(join(root, 'docs/guides/add-to-your-app.md'), 'utf8')

/** Code that the guide omits around its last blocks. */
const imports = `import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { svc, useMutation } from './svc'
`

let world: World
let folder: string
let emulator: TestEmulator
beforeAll(async () => {
  world = await openWorld()
  emulator = await openSharedEmulator()
  // Inside the tree, so that its packages are found.
  folder = await mkdtemp(join(root, 'test/.docs-react-'))
  await mkdir(join(folder, 'src'))
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

it('the guide compiles with the types that its commands write, TanStack Query among it', async () => {
  await world.dev('--memory')
  for (const command of blocks(guide, 'console').join('').split('\n')) {
    const [, svc, ...words] = command.replaceAll("'", '').split(' ')
    if (svc === 'svc' && words[0] !== 'dev') expect(await world.svc(words)).toMatchObject({ exit: 0 })
  }
  const files = [...blocks(guide, 'typescript'), ...blocks(guide, 'tsx')].map((text) => ({ name: nameIn(text), text }))
  const [retry = '', query = ''] = files.flatMap(({ name, text }) => (name ? [] : [text]))
  const rest = `export function Add() {\n${retry}\n  return [create, pendingCount, waiting, error]\n}\n${query}`
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true },
    ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler' },
    ...{ jsx: 'react-jsx', lib: ['es2023', 'dom', 'dom.iterable'], types: ['vite/client'] },
    paths: {
      'svc-toolkit-client': [`${root}client/index.ts`],
      'svc-toolkit-client/react': [`${root}client/react/index.ts`],
      'svc-toolkit-client/server': [`${root}client/server.ts`],
    },
  }
  const types = await readFile(join(world.folder, 'src/svc-types.ts'), 'utf8')
  const written = [{ name: 'src/svc-types.ts', text: types }, { name: 'src/rest.tsx', text: imports + rest }, ...files]
  for (const { name, text } of written) if (name) await writeFile(join(folder, name), text)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))

  const ran = await execa(process.execPath, [tool('typescript/bin/tsc'), '-p', folder], { reject: false, all: true })

  expect(files.map(({ name }) => name).filter(Boolean)).toEqual([
    'src/svc.ts',
    'src/main.tsx',
    'src/tasks.tsx',
    'src/page.tsx',
  ])
  expect(ran.all).toBe('')
})

it('its list says that the collection is missing, why a write was refused, and leaves no rejection', async () => {
  const project = await emulator.project()
  const [text = ''] = blocks(guide, 'tsx').filter((block) => nameIn(block) === 'src/tasks.tsx')
  const page = await shown('tasks', text, project)

  await expect.poll(page.text).toContain('No collection')
  await project.secretClient.collections.create({
    name: 'tasks',
    permissions: { create: ['editor'], update: ['editor'] },
  })
  await project.secretClient.collection('tasks').create({ title: 'Tea', done: false })
  await expect.poll(page.text).toContain('Tea')
  page.click('button')
  await expect.poll(page.text).toContain('Sign in as a user with permission to create documents in "tasks"')
  page.click('input')

  // Vitest fails for a rejection that nobody handles.
  await expect.poll(page.text).toContain('Sign in as a user with permission to update documents in "tasks"')
  page.close()
})

it('the list for an existing app says that it loads, waits and was refused, and takes two of one title', async () => {
  const project = await emulator.project()
  const warnings = vi.spyOn(console, 'error')
  const [text = ''] = blocks(existing, 'tsx')
  const page = await shown('posts', text, project)

  await expect.poll(page.text).toContain('No collection')
  await project.secretClient.collections.create({ name: 'posts' })
  const posts = project.secretClient.collection('posts')
  await posts.createMany([{ title: 'Tea' }, { title: 'Tea' }])
  await expect.poll(page.text).toBe('TeaTea')
  await project.secretClient.collections.update('posts', { permissions: { read: ['authenticated'] } })
  page.close()
  const refused = await shown('posts', text, project)

  await expect.poll(refused.text).toContain('Sign in as a user with permission to read documents in "posts"')
  refused.close()
  expect(warnings).not.toHaveBeenCalled()
})

/** The component of a guide in a page, with the client of a project in the place of its own. */
async function shown(name: string, text: string, { url, apiKey }: TestProject) {
  const at = join(folder, 'src', `${name}-${url.length}-${apiKey.slice(-8)}`)
  await mkdir(at, { recursive: true })
  const own = `import { createHooks } from '../../../../client/react/index.js'
export const svc = globalThis[Symbol.for('guide')]
export const { SvcProvider, useLive, useMutation } = createHooks()
`
  const svc: Client = createClient({ url, apiKey, transport: 'sse' })
  Object.assign(globalThis, { [Symbol.for('guide')]: svc })
  await writeFile(join(at, 'svc.js'), own)
  await writeFile(join(at, 'component.tsx'), `/** @jsxRuntime automatic */\n${text}`)
  const components: Record<string, FunctionComponent> = await import(join(at, 'component.tsx'))
  const { SvcProvider }: { SvcProvider: FunctionComponent<{ client: Client }> } = await import(join(at, 'svc.js'))
  const [component] = Object.values(components)
  if (!component) throw new Error('The guide exports no component.')
  const place = aPlace()
  const page = createRoot(place)
  page.render(createElement(SvcProvider, { client: svc }, createElement(component)))
  return {
    text: () => place.textContent,
    click: (selector: string) => place.querySelector<HTMLElement>(selector)?.click(),
    close: () => page.unmount(),
  }
}

function blocks(markdown: string, language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)
}

/** The file that a block says it is. */
function nameIn(text: string): string | undefined {
  return /^\/\/ (src\/\S+)\n/.exec(text)?.[1]
}
