/** The guides to Vue and Svelte: their files under `strict`, and their lists in a page. */
// First, because Vue looks for the document when it is loaded.
import '../fixtures/dom.js'

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Component, createApp } from 'vue'
import { compileScript, parse } from 'vue/compiler-sfc'
import { WebSocket } from 'ws'
import { type Client, createClient } from '../../client/index.js'
import { createHooks } from '../../client/vue/index.js'
import type { TestEmulator } from '../../emulator/testing/index.js'
import { aPlace, defineElements } from '../fixtures/dom.js'
import { tool } from '../fixtures/packages/packages.js'
import { bundleSvelte } from '../fixtures/packages/svelte-app.js'
import { openSharedEmulator } from '../fixtures/shared-emulator.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const guides = {
  vue: await readFile(join(root, 'docs/guides/vue.md'), 'utf8'),
  svelte: await readFile(join(root, 'docs/guides/svelte.md'), 'utf8'),
}
type Framework = keyof typeof guides

let emulator: TestEmulator
let folder: string

beforeAll(async () => {
  defineElements()
  emulator = await openSharedEmulator()
  // Inside the tree, so that its packages are found.
  folder = await mkdtemp(join(root, 'test/.docs-frameworks-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

function blocks(framework: Framework, language: string): string[] {
  return [...guides[framework].matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text = '']) => text,
  )
}

function scriptIn(component: string): string {
  return /<script[^>]*>\n(.*?)<\/script>/s.exec(component)?.[1] ?? ''
}

const frameworks = ['vue', 'svelte'] as const

const ownFiles: Readonly<Record<Framework, readonly string[]>> = {
  vue: ['svc.ts', 'main.ts', 'app/plugins/1.initial-data.server.ts', 'app/plugins/2.svc.ts'],
  svelte: ['svc.ts', 'routes/+layout.server.ts', 'routes/layout.ts'],
}

/** Files that Nuxt, SvelteKit and `svc init` generate in an app, as far as the guides use them. */
const generated: Readonly<Record<Framework, Readonly<Record<string, string>>>> = {
  vue: {
    'svc-server.d.ts': declareVisitor('{ readonly path: string }'),
    'nuxt.d.ts': `type NuxtPlugin = (app: { readonly vueApp: import('vue').App }) => void | Promise<void>
declare function defineNuxtPlugin(plugin: NuxtPlugin): NuxtPlugin
declare function useState<Value>(key: string): import('vue').Ref<Value>
declare function useRequestEvent(): { readonly path: string } | undefined
`,
  },
  svelte: {
    'svc-server.d.ts': declareVisitor('{ readonly cookies: object }'),
    'routes/$types.d.ts':
      'export type LayoutServerLoad = (event: { readonly cookies: object; readonly url: URL }) => Promise<object>',
  },
}

function declareVisitor(event: string): string {
  return `import type { Client } from 'svc-toolkit-client'
import type { Schema } from './svc-types'
export function openVisitor(event: ${event}): Client<Schema>
`
}

it.each(frameworks)('the code of the guide to %s compiles', async (framework) => {
  const at = join(folder, framework)
  const [component = '', layout = ''] = blocks(framework, framework)
  const files: Record<string, string> = {
    'svc-types.ts': 'export interface Schema { tasks: { title: string; done: boolean } }',
    'tasks.ts': scriptIn(component),
    ...generated[framework],
    'tasks.d.vue.ts': "declare const tasks: import('vue').Component\nexport default tasks",
  }
  if (layout) files['routes/layout.ts'] = `declare function $props(): any\n${scriptIn(layout)}`
  for (const text of blocks(framework, 'typescript')) files[/^\/\/ (?:src\/)?(\S+)\n/.exec(text)?.[1] ?? ''] = text
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(at, name)), { recursive: true })
    await writeFile(join(at, name), text)
  }
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowArbitraryExtensions: true },
    ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler' },
    ...{ lib: ['es2023', 'dom', 'dom.iterable'], types: ['vite/client', 'svelte'] },
    paths: {
      'svc-toolkit-client': [`${root}client/index.ts`],
      'svc-toolkit-client/server': [`${root}client/server.ts`],
      '~~/*': [join(at, '*')],
      [`svc-toolkit-client/${framework}`]: [`${root}client/${framework}/index.ts`],
    },
  }
  await writeFile(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))

  const ran = await execa(process.execPath, [tool('typescript/bin/tsc'), '-p', at], { reject: false, all: true })

  expect(Object.keys(files)).toEqual(expect.arrayContaining([...ownFiles[framework]]))
  expect(ran.all).toBe('')
})

it.each(frameworks)(
  'the list of the guide to %s says why a write was refused, and follows its query',
  async (framework) => {
    const project = await emulator.project<{ tasks: { title: string; done: boolean } }>()
    const svc = createClient({ url: project.url, apiKey: project.apiKey, transport: 'ws', WebSocket })
    const place = aPlace()
    const close = await mounted[framework](place, svc)
    const click = (name: string) => {
      const buttons = [...place.querySelectorAll('button')]
      buttons.find(({ textContent }) => textContent?.trim() === name)?.click()
    }

    await expect.poll(() => place.textContent).toContain('No collection')
    await project.secretClient.collections.create({ name: 'tasks', permissions: { create: ['editor'] } })
    await project.secretClient.collection('tasks').create({ title: 'Tea', done: false })
    await expect.poll(() => place.textContent).toContain('Tea')
    click('Add')
    await expect
      .poll(() => place.textContent)
      .toContain('Sign in as a user with permission to create documents in "tasks"')
    click('Tea')
    await expect.poll(() => place.querySelector('li')).toBeNull()
    const box = place.querySelector('input')
    if (box) box.checked = true
    box?.dispatchEvent(new (globalThis as { Event: typeof Event }).Event('change'))

    await expect.poll(() => place.querySelector('li')?.textContent?.trim()).toBe('Tea')
    await close()
  },
)

/** Mounts the component of a guide, with a client in the place of its own. */
const mounted: Readonly<Record<Framework, (place: HTMLElement, svc: Client) => Promise<() => unknown>>> = {
  async vue(place, svc) {
    const { descriptor } = parse(blocks('vue', 'vue')[0] ?? '', { filename: 'tasks.vue' })
    const { content } = compileScript(descriptor, { id: 'tasks', inlineTemplate: true })
    await writeFile(
      join(folder, 'svc.ts'),
      "import { createHooks } from '../../client/vue/index.js'\nexport const { useLive, useMutation } = createHooks()\n",
    )
    await writeFile(join(folder, 'tasks.ts'), content.replace("'./svc'", "'./svc.js'"))
    const { default: tasks }: { default: Component } = await import(join(folder, 'tasks.ts'))
    const app = createApp(tasks).use(createHooks().SvcPlugin, svc)
    app.mount(place)
    return () => app.unmount()
  },
  async svelte(place, svc) {
    Object.assign(globalThis, { [Symbol.for('guide')]: svc })
    const own = join(folder, 'svc-of-svelte.js')
    await writeFile(
      own,
      `import { createHooks } from '${root}client/svelte/index.ts'
export const svc = globalThis[Symbol.for('guide')]
export const { provideClient, useLive, useMutation } = createHooks()\n`,
    )
    const { start } = await bundleSvelte(blocks('svelte', 'svelte')[0] ?? '', folder, { './svc': own })
    return start(place, {})
  },
}
