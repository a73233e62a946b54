/** The blocks of the React guide, as files of one app: they compile under `strict`. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { tool } from '../../fixtures/packages/packages.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const shared = `import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { SvcProvider, svc, useLive, useMutation } from './svc'
`

it('the guide compiles, TanStack Query among it', async () => {
  const guide = await readFile(join(root, 'docs/guides/react.md'), 'utf8')
  const [client = ''] = blocks(guide, 'typescript')
  const [main = '', tasks = '', retry = '', query = ''] = blocks(guide, 'tsx')
  // Inside the tree, so that its packages are found.
  const folder = await mkdtemp(join(root, 'test/.docs-react-'))
  const app = [
    shared,
    main,
    tasks,
    `export function Add() {\n${retry}\n  return [create, pendingCount, waiting, error]\n}\n`,
    query,
  ]
  const compilerOptions = {
    ...{
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
    },
    ...{ jsx: 'react-jsx', lib: ['es2023', 'dom', 'dom.iterable'], types: ['vite/client'] },
    paths: {
      'svc-toolkit-client': [`${root}client/index.ts`],
      'svc-toolkit-client/react': [`${root}client/react/index.ts`],
    },
  }
  await writeFile(join(folder, 'svc.ts'), client)
  await writeFile(join(folder, 'svc-types.ts'), 'export interface Schema { tasks: { title: string; done: boolean } }\n')
  await writeFile(join(folder, 'app.tsx'), app.join('\n'))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.tsx'] }))

  const ran = await execa(process.execPath, [tool('typescript/bin/tsc'), '-p', folder], { reject: false, all: true })

  await rm(folder, { recursive: true, force: true })
  expect(ran.all).toBe('')
})

function blocks(guide: string, language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)
}
