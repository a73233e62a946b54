/** Writes the module with the client of a visitor, for frameworks that answer requests. */

interface Framework {
  /** The package that an app with it depends on. */
  readonly package: string
  readonly imports: readonly string[]
  /** Parameters of the function, with their types. */
  readonly parameters: readonly (readonly [name: string, type: string])[]
  /** The options that say where the cookies are. */
  readonly cookies: string
  /** Opens one client for each request by itself. */
  readonly isCached?: boolean
}

/** Checked in this order, because an app with Next may use Express for its tests. */
const frameworks = {
  next: {
    package: 'next',
    imports: ["import { cookies } from 'next/headers'", "import { cache } from 'react'"],
    parameters: [],
    cookies: 'cookies: await cookies()',
    isCached: true,
  },
  sveltekit: {
    package: '@sveltejs/kit',
    imports: ["import type { Cookies } from '@sveltejs/kit'"],
    parameters: [['{ cookies }', '{ cookies: Cookies }']],
    cookies: 'cookies',
  },
  nuxt: {
    package: 'nuxt',
    imports: ["import { getCookie, type H3Event, setCookie } from 'h3'"],
    parameters: [['event', 'H3Event']],
    cookies: 'cookies: { get: (name) => getCookie(event, name), set: (...cookie) => setCookie(event, ...cookie) }',
  },
  tanstack: {
    package: '@tanstack/react-start',
    imports: ["import { getCookie, setCookie } from '@tanstack/react-start/server'"],
    parameters: [],
    cookies: 'cookies: { get: getCookie, set: setCookie }',
  },
  express: {
    package: 'express',
    imports: ["import type { Request, Response } from 'express'"],
    parameters: [
      ['request', 'Request'],
      ['response', 'Response'],
    ],
    cookies: 'request,\n    response',
  },
} as const satisfies Record<string, Framework>

export type ServerFramework = keyof typeof frameworks

/** @param packages names of the packages that the app depends on */
export function detectServer(packages: ReadonlySet<string>): ServerFramework | undefined {
  const names = Object.keys(frameworks) as ServerFramework[]
  return names.find((name) => packages.has(frameworks[name].package))
}

interface ServerModule {
  readonly isTyped: boolean
  readonly isCommonJs: boolean
  readonly clientPackage: string
  /** Lines of the options that read address and key. */
  readonly settings: readonly string[]
}

export function serverModule(server: ServerFramework, module: ServerModule): string {
  const framework: Framework = frameworks[server]
  const { isTyped, isCommonJs, clientPackage, settings } = module
  const entry = `${clientPackage}/server`
  const imports = framework.imports
    .filter((line) => isTyped || !line.startsWith('import type '))
    .map((line) => (isTyped ? line : line.replace(/type \w+, /, '')))
  const given = framework.parameters.map(([name, type]) => (isTyped ? `${name}: ${type}` : name)).join(', ')
  const lines = [...settings, framework.cookies].map((line) => `    ${line},\n`).join('')
  const opened = `createServerClient${isTyped ? '<Collections>' : ''}({\n${lines}  })`
  const comment = '/** Opens the client of a visitor, whose session is in cookies. Open one for each request. */\n'
  if (isCommonJs) {
    const head = `const { createServerClient } = require('${entry}')\n\n${comment}`
    return `${head}exports.openVisitor = function openVisitor(${given}) {\n  return ${opened}\n}\n`
  }
  const head = [
    ...imports,
    `import { createServerClient } from '${entry}'`,
    ...(isTyped ? ["import type { Collections } from './svc'"] : []),
    `\n${comment}`,
  ].join('\n')
  if (framework.isCached) return `${head}export const openVisitor = cache(async () => {\n  return ${opened}\n})\n`
  return `${head}export function openVisitor(${given}) {\n  return ${opened}\n}\n`
}
