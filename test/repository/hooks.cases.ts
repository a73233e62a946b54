/** The entries of both packages for frameworks. */
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { expectToCompile } from '../fixtures/packages/compile.js'
import { type Installed, type PackageName, tool } from '../fixtures/packages/packages.js'

const hooks = 'SvcPlugin,useAuth,useClient,useDocument,useLive,useMutation,useOutbox,usePage'

/** The entries, what is looked at, and its names. */
const entries = {
  store: ['store', 'asText,noDocument,noMutations,noOutbox,noState,openStore,unknownSession'],
  react: ['react.createHooks()', hooks.replace('SvcPlugin', 'SvcProvider')],
  vue: ['vue.createHooks()', hooks],
  svelte: ['svelte.createHooks()', hooks.replace('SvcPlugin', 'provideClient')],
  deployed: ['deployed', 'forDeployedService'],
} as const

/** Packages that an app has with these frameworks. */
const ofFrameworks = ['react', '@types/react', 'csstype', 'vue', '@vue', 'svelte', 'esm-env', 'clsx', 'devalue']

type Entry = keyof typeof entries

/** @param projectOf an empty project in which the package is installed */
export function hooksCases(name: PackageName, projectOf: () => Installed): void {
  it('brings the entries for the frameworks that the app has, by import and by require, with types', async () => {
    const project = projectOf()
    await linkFrameworks(project)
    const all = Object.keys(entries) as Entry[]
    // Svelte has no files for `require`.
    const required = all.filter((entry) => entry !== 'svelte')
    const show = (shown: readonly Entry[]) =>
      shown.map((entry) => `console.log(Object.keys(${entries[entry][0]}).sort().join())`)
    const imports = all.map((entry) => `import * as ${entry} from '${name}/${entry}'`)
    const requires = required.map((entry) => `const ${entry} = require('${name}/${entry}')`)
    await project.write({
      'entries.mjs': [...imports, ...show(all)].join('\n'),
      'entries.cjs': [...requires, ...show(required)].join('\n'),
    })
    const app = `${imports.join('\n')}
export const calls: object[] = [store.openStore, vue.createHooks, svelte.createHooks, deployed.forDeployedService]
const { useLive } = react.createHooks<{ posts: { title: string } }>()
export const Titles = (): string[] => useLive('posts').items.map(({ data }) => data.title)
// @ts-expect-error: no such collection
export const none = () => useLive('pots')`

    expect((await project.node('entries.mjs')).all.split('\n')).toEqual(all.map((entry) => entries[entry][1]))
    expect((await project.node('entries.cjs')).all.split('\n')).toEqual(required.map((entry) => entries[entry][1]))
    await expectToCompile(project, 'entries', { 'app.mts': app }, { module: 'nodenext', skipLibCheck: true })
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
}

async function linkFrameworks(project: Installed): Promise<void> {
  const modules = join(project.folder, 'node_modules')
  await mkdir(join(modules, '@types'), { recursive: true })
  for (const needed of ofFrameworks) await symlink(tool(needed), join(modules, needed))
}
