/** The entry `react` of both packages. */
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { type Installed, type PackageName, tool } from '../fixtures/packages/packages.js'

/** @param projectOf an empty project in which the package is installed */
export function hooksCases(name: PackageName, projectOf: () => Installed): void {
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
      'hooks/tsconfig.json': JSON.stringify({
        compilerOptions: {
          module: 'nodenext',
          target: 'es2022',
          lib: ['es2022', 'dom'],
          strict: true,
          noEmit: true,
          types: [],
        },
        files: ['app.mts'],
      }),
    })

    const all = 'SvcProvider,useAuth,useClient,useDocument,useLive,useMutation,usePage'
    expect((await project.node('hooks.mjs')).all).toBe(all)
    expect((await project.node('hooks.cjs')).all).toBe(all)
    expect((await project.node(tool('typescript/bin/tsc'), '-p', 'hooks')).all).toBe('')
  })
}

/** An existing link stays. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
