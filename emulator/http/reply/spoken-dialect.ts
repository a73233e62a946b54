/** Chooses the dialect of an answer: the project's, with the changes that the request asks for. Contract 1. */
import type { IncomingMessage } from 'node:http'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Project } from '../../../client/protocol/model/project.js'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import { dialects, formatDialect, parseDialect } from '../../../client/protocol/wire/dialects.js'
import { cachedProject } from '../../core/projects/projects.js'
import { projectNamed } from '../guards/identify.js'
import type { HttpContext } from '../http-context.js'
import type { Incoming, InDialect, Reach } from '../stages.js'

/**
 * Gives a request the base dialect, with the changes that it asks for. On a server, a request cannot lift the project's rules:
 * other refusals are weaker, and show which addresses have an account.
 *
 * @throws {SvcError} `INVALID_DIALECT`, which is answered in the base dialect
 */
export function withDialect<Known extends Incoming>(
  { home }: Pick<HttpContext, 'home'>,
  known: Known,
  base: Dialect,
  reach: Reach,
): Known & InDialect {
  const inBase = reach({ ...known, dialect: base })
  const asked = known.requestedDialect ?? dialectHeader(known.req)
  // Most requests ask for none. Keeps the same object then, because its text is cached.
  if (asked === undefined) return inBase
  const dialect = parseDialect(asked, base)
  if (home === undefined && isLifting(dialect, base))
    throw new SvcError('INVALID_DIALECT', 'On a server, only the settings of a project can choose "refusals".')
  return reach({ ...inBase, dialect })
}

/** Whether a request asks for weaker refusals than its project has. */
export function isLifting({ refusals }: Dialect, base: Dialect): boolean {
  return refusals !== 'spec' && refusals !== base.refusals
}

/** Returns the dialect for an answer that must be sent in any case. Ignores an invalid dialect in the request. */
export function readableDialect({ requestedDialect, req }: Incoming, base: Dialect): Dialect {
  return firstReadable([requestedDialect, dialectHeader(req)], base)
}

/** Returns the dialect from the first valid text. */
export function firstReadable(texts: readonly (string | undefined)[], base: Dialect): Dialect {
  for (const text of texts) {
    try {
      if (text !== undefined) return parseDialect(text, base)
    } catch {}
  }
  return base
}

/**
 * Finds the dialect of a request outside any project. Uses the project named by the path or key, valid or not, or else the
 * project that the service was started for.
 */
export async function namedDialect(
  { backend, home }: HttpContext,
  { req, params, isRefused }: Pick<Incoming, 'req' | 'params' | 'isRefused'>,
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

/** Headers on every answer. */
export function dialectHeaders(dialect: Dialect): { readonly 'svc-dialect': string } {
  const text = formatted.get(dialect) ?? formatDialect(dialect)
  formatted.set(dialect, text)
  return { 'svc-dialect': text }
}

export function dialectHeader(req: IncomingMessage): string | undefined {
  const header = req.headers['svc-dialect']
  return Array.isArray(header) ? header.join(', ') : header
}
