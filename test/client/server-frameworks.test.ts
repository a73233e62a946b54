/** The module that `svc init` writes for SvelteKit, Nuxt and TanStack Start, with jars as these have them. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { execa } from 'execa'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clientModule } from '../../cli/init/app.js'
import { serverModule } from '../../cli/init/server-module.js'
import { type Client, createClient } from '../../client/index.js'
import type { TestEmulator, TestProject } from '../../emulator/testing/index.js'
import { tool } from '../fixtures/packages/packages.js'
import { openSharedEmulator } from '../fixtures/shared-emulator.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const guide = await readFile(join(root, 'docs/guides/server-sessions.md'), 'utf8')
const ada = { email: 'ada@example.com', password: 'Correct4Horse' }

let emulator: TestEmulator
let project: TestProject
let folder: string

beforeAll(async () => {
  emulator = await openSharedEmulator()
  project = await emulator.project()
  await createClient(project).auth.signUp(ada)
  // Inside the tree, so that its packages are found.
  folder = await mkdtemp(join(root, 'test/.docs-servers-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

const settings = ["url: process.env.SVC_URL ?? ''", "apiKey: process.env.SVC_API_KEY ?? ''"]
const written = { isTyped: true, isCommonJs: false, clientPackage: 'svc-toolkit-client', settings } as const

/** Returns the option that the table of the guide has for a framework. */
function cookiesIn(framework: string): string {
  return new RegExp(`^\\| ${framework} \\| \`(.*?)\``, 'm').exec(guide)?.[1] ?? ''
}

/** The signatures that their packages declare, as far as the module uses them. */
const declarations = {
  sveltekit: `declare module '@sveltejs/kit' {
  interface Attributes { path: string; httpOnly?: boolean; secure?: boolean; sameSite?: boolean | 'lax' | 'strict' | 'none'; domain?: string; expires?: Date }
  export interface Cookies {
    get: (name: string, options?: object) => string | undefined
    set: (name: string, value: string, options: Attributes) => void
  }
}`,
  nuxt: `declare module 'h3' {
  interface Attributes { path?: string; httpOnly?: boolean; secure?: boolean; sameSite?: true | false | 'lax' | 'strict' | 'none'; domain?: string; expires?: Date }
  export interface H3Event { readonly headers: Headers }
  export function getCookie(event: H3Event, name: string): string | undefined
  export function setCookie(event: H3Event, name: string, value: string, options?: Attributes): void
}`,
  tanstack: `declare module '@tanstack/react-start/server' {
  interface Attributes { path?: string; httpOnly?: boolean; secure?: boolean; sameSite?: true | false | 'lax' | 'strict' | 'none'; domain?: string; expires?: Date }
  export function getCookie(name: string): string | undefined
  export function setCookie(name: string, value: string, options?: Attributes): void
}`,
} as const

type Framework = keyof typeof declarations
const frameworks = Object.keys(declarations) as Framework[]
const modules: Readonly<Record<Framework, string>> = {
  sveltekit: serverModule('sveltekit', written),
  nuxt: serverModule('nuxt', written),
  tanstack: serverModule('tanstack', written),
}

/** Cookies of one request, encoded as the frameworks do. */
interface Jar {
  get(name: string): string | undefined
  set(name: string, value: string, options: { readonly path?: string; readonly expires?: Date }): void
}

/** Code in the place of each package, and how the framework calls the module. */
const stubs: Readonly<Record<Framework, { readonly code: string; call(open: Opener, jar: Jar): Client }>> = {
  sveltekit: { code: 'export {}', call: (open, cookies) => open({ cookies }) },
  nuxt: {
    code: `export const getCookie = (event, name) => event.jar.get(name)
export const setCookie = (event, name, value, options) => event.jar.set(name, value, options)`,
    call: (open, jar) => open({ jar }),
  },
  tanstack: {
    code: `export const getCookie = (name) => globalThis[Symbol.for('jar')].get(name)
export const setCookie = (name, value, options) => globalThis[Symbol.for('jar')].set(name, value, options)`,
    call(open, jar) {
      Reflect.set(globalThis, Symbol.for('jar'), jar)
      return open()
    },
  },
}
type Opener = (event?: object) => Client

function openJar(request: Request, response: Headers): Jar {
  const values = new Map(
    (request.headers.get('cookie') ?? '').split('; ').map((pair) => {
      const [name = '', value = ''] = pair.split('=')
      return [name, decodeURIComponent(value)] as const
    }),
  )
  return {
    get: (name) => values.get(name),
    set(name, value, { path, expires }) {
      // SvelteKit refuses a cookie without one.
      if (!path) throw new Error('A cookie needs a path.')
      values.set(name, value)
      response.append(
        'set-cookie',
        `${name}=${encodeURIComponent(value)}; Path=${path}; Expires=${expires?.toUTCString()}`,
      )
    },
  }
}

/** Builds the module with a stub in the place of the framework's package. */
async function load(framework: Framework): Promise<Opener> {
  const at = join(folder, `run-${framework}`)
  await mkdir(at)
  await writeFile(join(at, 'svc-server.ts'), modules[framework])
  await writeFile(join(at, 'stub.js'), stubs[framework].code)
  const build = await rolldown({
    input: join(at, 'svc-server.ts'),
    cwd: at,
    platform: 'node',
    resolve: {
      alias: {
        'svc-toolkit-client/server': `${root}client/server.ts`,
        h3: join(at, 'stub.js'),
        '@tanstack/react-start/server': join(at, 'stub.js'),
      },
    },
  })
  const file = join(at, 'built.mjs')
  await build.write({ file, format: 'esm' })
  await build.close()
  return (await import(pathToFileURL(file).href)).openVisitor
}

it('agrees with the table of the guide', () => {
  expect(modules.nuxt).toContain(cookiesIn('Nuxt'))
  expect(modules.tanstack).toContain(cookiesIn('TanStack Start'))
  expect(modules.sveltekit).toContain('{ cookies }: { cookies: Cookies }')
  expect(cookiesIn('SvelteKit')).toBe('cookies: event.cookies')
})

it('compiles under strict with the signatures of the frameworks', async () => {
  for (const framework of frameworks) {
    await writeFile(join(folder, `${framework}.ts`), modules[framework])
    await writeFile(join(folder, `${framework}-package.d.ts`), declarations[framework])
  }
  await writeFile(join(folder, 'svc.ts'), clientModule({ kind: 'nuxt', prefix: 'VITE_', server: 'nuxt', ...written }))
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true },
    ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', types: ['node'] },
    paths: {
      'svc-toolkit-client': [`${root}client/index.ts`],
      'svc-toolkit-client/server': [`${root}client/server.ts`],
    },
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))

  const ran = await execa(process.execPath, [tool('typescript/bin/tsc'), '-p', folder], { reject: false, all: true })

  expect(ran.all).toBe('')
})

it.each(frameworks)('%s: a visitor logs in, is known in the next request, and logs out', async (framework) => {
  Object.assign(process.env, { SVC_URL: project.url, SVC_API_KEY: project.apiKey })
  const open = await load(framework)
  const handle = async (request: Request) => {
    const headers = new Headers()
    const svc = stubs[framework].call(open, openJar(request, headers))
    if (request.method === 'POST') await svc.auth.logIn(ada)
    if (request.method === 'DELETE') await svc.auth.logOut()
    return Response.json({ email: (await svc.auth.session())?.user.email ?? null }, { headers })
  }
  const ask = async (method: string, cookie?: string) => {
    const response = await handle(new Request('https://app.example/', { method, headers: cookie ? { cookie } : {} }))
    return { ...(await response.json()), cookies: response.headers.getSetCookie() }
  }

  const before = await ask('GET')
  const loggedIn = await ask('POST')
  const [cookie = ''] = loggedIn.cookies.map((line: string) => line.split(';')[0])
  const known = await ask('GET', cookie)
  const loggedOut = await ask('DELETE', cookie)

  expect(before).toEqual({ email: null, cookies: [] })
  expect(known).toEqual({ email: ada.email, cookies: [] })
  expect(loggedOut).toMatchObject({ email: null, cookies: [expect.stringMatching(/^svc-session=; .*1970/)] })
})
