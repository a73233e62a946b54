/** The entries of both packages for frameworks. */
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { type Installed, type PackageName, tool } from '../fixtures/packages/packages.js'

/** @param projectOf an empty project in which the package is installed */
export function hooksCases(name: PackageName, projectOf: () => Installed): void {
  it.each([
    ['store', 'asText,noDocument,noMutations,noOutbox,noState,openStore,unknownSession', ['mjs', 'cjs'], 'openStore'],
    [
      'vue',
      'SvcPlugin,useAuth,useClient,useDocument,useLive,useMutation,useOutbox,usePage',
      ['mjs', 'cjs'],
      'createHooks',
    ],
    // Svelte has no files for \`require\`.
    [
      'svelte',
      'provideClient,useAuth,useClient,useDocument,useLive,useMutation,useOutbox,usePage',
      ['mjs'],
      'createHooks',
    ],
    ['deployed', 'forDeployedService', ['mjs', 'cjs'], 'forDeployedService'],
  ])('brings the entry %s for the framework that the app has, with types', async (entry, all, kinds, call) => {
    const project = projectOf()
    const compilers = { vue: ['vue', '@vue', 'csstype'], svelte: ['svelte', 'esm-env', 'clsx', 'devalue'] }
    for (const needed of compilers[entry as keyof typeof compilers] ?? []) {
      const from = fileURLToPath(new URL(`../../node_modules/${needed}`, import.meta.url))
      await symlink(from, join(project.folder, 'node_modules', needed)).catch(ignoreExisting)
    }
    const uses = call === 'createHooks' ? 'entry.createHooks()' : 'entry'
    await project.write({
      [`${entry}.mjs`]: `import * as entry from '${name}/${entry}'\nconsole.log(Object.keys(${uses}).sort().join())`,
      [`${entry}.cjs`]: `const entry = require('${name}/${entry}')\nconsole.log(Object.keys(${uses}).sort().join())`,
      [`${entry}/app.mts`]: `import { ${call} } from '${name}/${entry}'\nexport const call: object = ${call}`,
      [`${entry}/tsconfig.json`]: tsconfig,
    })

    for (const kind of kinds) expect((await project.node(`${entry}.${kind}`)).all).toBe(all)
    expect((await project.node(tool('typescript/bin/tsc'), '-p', entry)).all).toBe('')
  })

  it('shares one store between the entries', async () => {
    const project = projectOf()
    await project.write({
      'shared.mjs': `import { createClient, SvcError } from '${name}'
import { openStore } from '${name}/store'
const svc = createClient({ url: 'http://127.0.0.1:1', retry: { attempts: 1 } })
const error = await openStore(svc).mutations('posts').create({}).catch((error) => error)
console.log(openStore(svc) === openStore(svc), error instanceof SvcError, error.code)`,
    })

    expect((await project.node('shared.mjs')).all).toBe('true true NETWORK')
  })

  it('brings hooks for the React that the app has, by import and by require, with types', async () => {
    const project = projectOf()
    await mkdir(join(project.folder, 'node_modules/@types'), { recursive: true })
    for (const needed of ['react', '@types/react', 'csstype']) {
      const from = fileURLToPath(new URL(`../../node_modules/${needed}`, import.meta.url))
      await symlink(from, join(project.folder, 'node_modules', needed)).catch(ignoreExisting)
    }
    const use = 'console.log(Object.keys(createHooks()).sort().join())'
    await project.write({
      'hooks.mjs': `import { createHooks } from '${name}/react'\n${use}`,
      'hooks.cjs': `const { createHooks } = require('${name}/react')\n${use}`,
      'hooks/app.mts': `import { createHooks } from '${name}/react'
const { useLive } = createHooks<{ posts: { title: string } }>()
export const Titles = (): string[] => useLive('posts').items.map(({ data }) => data.title)
// @ts-expect-error: no such collection
export const none = () => useLive('pots')`,
      'hooks/tsconfig.json': tsconfig,
    })

    const all = 'SvcProvider,useAuth,useClient,useDocument,useLive,useMutation,useOutbox,usePage'
    expect((await project.node('hooks.mjs')).all).toBe(all)
    expect((await project.node('hooks.cjs')).all).toBe(all)
    expect((await project.node(tool('typescript/bin/tsc'), '-p', 'hooks')).all).toBe('')
  })
}

const tsconfig = JSON.stringify({
  compilerOptions: {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  },
  files: ['app.mts'],
})

/** An existing link stays. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
