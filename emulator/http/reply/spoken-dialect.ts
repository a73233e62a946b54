/** Which dialect an answer is written in: the project's, and what the request asks for on top of it. Contract 1. */
import type { IncomingMessage } from 'node:http'
import type { Project } from '../../../client/protocol/model/project.js'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import { dialects, formatDialect, parseDialect } from '../../../client/protocol/wire/dialects.js'
import { cachedProject } from '../../core/projects/projects.js'
import type { Exchange, HttpContext } from '../exchange.js'
import { projectNamed } from '../guards/identify.js'

/** Writes the answer as a project does, or as the request asks for. @throws {SvcError} `INVALID_DIALECT` */
export function speak(exchange: Exchange, base: Dialect): void {
  exchange.dialect = base
  exchange.isDialectKnown = true
  const asked = exchange.asked ?? dialectHeader(exchange.req)
  // Most requests ask for nothing. The base itself, not a copy of it: its text is known.
  if (asked !== undefined) exchange.dialect = parseDialect(asked, base)
}

/** The same for an answer that must be written, whatever the request asks for: what cannot be read asks for nothing. */
export function speakAnyway(exchange: Exchange, base: Dialect): void {
  exchange.isDialectKnown = true
  exchange.dialect = firstReadable([exchange.asked, dialectHeader(exchange.req)], base)
}

/** What the first text that can be read asks for. */
export function firstReadable(texts: readonly (string | undefined)[], base: Dialect): Dialect {
  for (const text of texts) {
    try {
      if (text !== undefined) return parseDialect(text, base)
    } catch {}
  }
  return base
}

/**
 * The dialect of a request that belongs to no project: of the project that its path or its key names, good or not, else
 * of the one that the service was started for.
 *
 * @param isRefused whether its key or token was looked up already, and in vain
 */
export async function namedDialect(
  { backend, home }: HttpContext,
  { req, params }: Pick<Exchange, 'req' | 'params'>,
  { isRefused = false } = {},
): Promise<Dialect> {
  const project =
    (params.project === undefined ? undefined : await cachedProject(backend, params.project)) ??
    (await projectNamed(backend, req.headers, { isRefused })) ??
    (home === undefined ? undefined : await cachedProject(backend, home))
  return project ? projectDialect(project) : dialects.a
}

const projectDialects = new WeakMap<Project, Dialect>()

export function projectDialect(project: Project): Dialect {
  const known = projectDialects.get(project)
  if (known) return known
  const dialect = parseDialect(project.settings.dialect, dialects.a)
  projectDialects.set(project, dialect)
  return dialect
}

const formatted = new WeakMap<Dialect, string>()

/** What each answer says of itself. */
export function dialectHeaders(dialect: Dialect): { readonly 'svc-dialect': string } {
  const text = formatted.get(dialect) ?? formatDialect(dialect)
  formatted.set(dialect, text)
  return { 'svc-dialect': text }
}

export function dialectHeader(req: IncomingMessage): string | undefined {
  const header = req.headers['svc-dialect']
  return Array.isArray(header) ? header.join(', ') : header
}
