/** Plans the CI files from `templates/ci`. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { PackageManager } from './package-manager.js'
import { type PlannedFile, planFile } from './plan.js'
import { repositoryRoot } from './repository.js'

const sources = { github: 'github.yml', gitlab: 'gitlab.yml', script: 'test.sh' } as const

export type CiKind = keyof typeof sources

export const ciKinds = Object.keys(sources) as CiKind[]

export function planCi(root: string, kind: CiKind, folder: string, manager: PackageManager): PlannedFile {
  const text = readFileSync(join(root, 'templates', 'ci', sources[kind]), 'utf8')
  const repository = repositoryRoot(folder)
  // GitHub reads workflows only at the root of the repository, so each app gets its own file there.
  const app = relative(repository, folder).split(sep)
  const workflow = join(repository, '.github', 'workflows', `${['test', ...app].filter(Boolean).join('-')}.yml`)
  const places = {
    github: workflow,
    // GitLab reads only the file at the root, which has to include that of an app below it.
    gitlab: join(folder, '.gitlab-ci.yml'),
    script: join(folder, 'ci', 'test.sh'),
  }
  return planFile(places[kind], filled(text, manager, { app: app.join('/'), lock: within(repository, manager.lock) }))
}

interface Places {
  /** The app's folder in its repository. Empty at the root. */
  readonly app: string
  readonly lock: string
}

/** Fills in a template. `setup`, `cache` and `folder` replace whole lines. */
function filled(text: string, manager: PackageManager, { app, lock }: Places): string {
  const { install, runInstalled, test, cache, setup = '' } = manager
  // The action looks for the lock file only at the root.
  const lockLine = dirname(lock) === '.' ? '' : `          cache-dependency-path: ${JSON.stringify(lock)}\n`
  const lines: Readonly<Record<string, string>> = {
    setup,
    cache: cache ? `          cache: ${cache}\n${lockLine}` : '',
    enter: app ? `    - cd ${JSON.stringify(app)}\n` : '',
    prepare: prepare[install.split(' ')[0] ?? ''] ?? '',
    folder: app ? `    defaults:\n      run:\n        working-directory: ${JSON.stringify(app)}\n` : '',
  }
  const words: Readonly<Record<string, string>> = {
    ...{ install, test: `${runInstalled} svc exec -- ${test}` },
    name: app ? JSON.stringify(`test ${app}`) : 'test',
  }
  return text
    .replace(/^\{\{(\w+)\}\}\n/gm, (whole, name) => lines[name] ?? whole)
    .replace(/\{\{(\w+)\}\}/g, (_, name) => words[name] ?? '')
}

/** Lines of a GitLab job that make the package manager available in the image of Node. */
const prepare: Readonly<Record<string, string>> = {
  pnpm: '    - corepack enable\n',
  yarn: '    - corepack enable\n',
  bun: '    - npm install --global bun\n',
}

/** Uses slashes on every system. */
function within(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/')
}
