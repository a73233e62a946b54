import { SvcError } from '../../../client/protocol/model/errors.js'
import { listWindows, rateLimitWords, type Tier } from '../../../client/protocol/model/limits.js'
import {
  defaultSettings,
  originForm,
  type Project,
  type ProjectSettings,
} from '../../../client/protocol/model/project.js'
import { deleteTrustedRoles } from '../../store/accounts/users.js'
import {
  insertKey,
  insertProject,
  type ListedProject,
  lockProject,
  type ProjectKey,
  selectAllowedOrigins,
  selectProject,
  selectProjectByKey,
  selectProjectKeys,
  selectProjects,
  updateSettings,
} from '../../store/projects.js'
import { numbersLeftOut, selectKept } from '../../store/realtime/changes.js'
import { audit } from '../audit/audit-log.js'
import type { Backend, Identity } from '../context.js'
import { projectEvent } from '../events/happenings.js'
import { hashSecret } from '../hashes.js'
import { callerFor } from '../identity.js'
import { happened, identityChanged, inTransaction, publish, settingsChanged, unitFor } from '../unit-of-work.js'
import { createKey, drawKeys } from './keys.js'
import { unknownProject } from './require-project.js'

export interface NewProject {
  readonly project: Project
  /** Safe to ship in apps. Allows everything that no permission restricts. */
  readonly apiKey: string
  /** Never ship it: it satisfies every role. Shown only once and stored as a hash. */
  readonly secretKey: string
}

/** Finds the project and caller of an API key. */
export function identify(backend: Backend, key: string): Promise<Identity | undefined> {
  return backend.caches.callers.of(key, async () => {
    const found = await selectProjectByKey(backend.db, hashSecret(key))
    if (!found) return undefined
    return { project: found.project, caller: callerFor(found.key) }
  })
}

export async function createProject(
  backend: Backend,
  { name, settings = {} }: { name: string; settings?: Partial<ProjectSettings> },
): Promise<NewProject> {
  const now = backend.clocks.service.now()
  const project: Project = { id: backend.newId(now), name, settings: { ...defaultSettings, ...settings } }
  requireLimiting(project.settings)
  if (project.settings.require2fa) requireMail(backend)
  const { apiKey, secretKey, keys } = drawKeys(backend)
  await inTransaction(unitFor(backend), async (unit) => {
    await insertProject(unit.db, project, keys, now.toISOString())
    publish(unit, settingsChanged())
    happened(unit, projectEvent(project, 'created'))
    await audit(unit, { project: project.id, operation: 'project.created', subject: { names: Object.keys(settings) } })
  })
  return { project, apiKey, secretKey }
}

/**
 * Opens the project with that id and creates it on first use. Returns the public key, and the secret key only if it is
 * new. Keys saved in the state folder stay valid, whatever happened to the data.
 */
export async function openProject(backend: Backend, id: string): Promise<OpenedProject> {
  const { db, keyring } = backend
  const [project, known] = await Promise.all([selectProject(db, id), selectProjectKeys(db, id)])
  if (!project) return makeProject(backend, id)
  await keyring.keepStep(id, Math.floor((await selectKept(db, id)).lastSeq / numbersLeftOut))
  if (keyring.hasData) {
    const kept = await keyring.keysOf(id)
    for (const key of without(kept, known)) await insertKey(db, id, key, backend.now(id).toISOString())
    await keyring.keep(id, [...kept, ...without(known, kept)])
  }
  const apiKey = publicKey(keyring.hasData ? await keyring.keysOf(id) : known) ?? (await createKey(backend, id)).key
  return { project, apiKey, secretKey: undefined }
}

/** A project that a service was opened for. `secretKey` is defined only if this start generated it. */
export type OpenedProject = Omit<NewProject, 'secretKey'> & { readonly secretKey: string | undefined }

async function makeProject(backend: Backend, id: string): Promise<OpenedProject> {
  const { keyring } = backend
  const drawn = drawKeys(backend)
  // Starts at a new step, so that clients which know numbers of earlier data behind the same key resync.
  const beginning = numbersLeftOut * (await keyring.nextStep(id))
  // Saves the keys before use, so that two processes that start together in a new folder use the same keys.
  const keys = await keyring.keepFirst(id, drawn.keys)
  const project: Project = { id, name: id, settings: defaultSettings }
  await inTransaction(unitFor(backend), async (unit) => {
    await insertProject(unit.db, project, keys, backend.now(id).toISOString(), beginning)
    await audit(unit, { project: id, operation: 'project.created' })
  })
  const apiKey = publicKey(keys) ?? (await createKey(backend, id)).key
  return { project, apiKey, secretKey: apiKey === drawn.apiKey ? drawn.secretKey : undefined }
}

function without(keys: readonly ProjectKey[], others: readonly ProjectKey[]): ProjectKey[] {
  const hashes = new Set(others.map(({ hash }) => hash))
  return keys.filter(({ hash }) => !hashes.has(hash))
}

/** Finds a public key with full rights that never expires. */
function publicKey(keys: readonly ProjectKey[]): string | undefined {
  const isWhole = ({ readable, scopes, expiresAt }: ProjectKey) =>
    readable !== null && scopes === null && expiresAt === null
  return keys.find(isWhole)?.readable ?? undefined
}

/** Changes the given settings of a project. @throws {SvcError} `NOT_FOUND` */
export async function changeProject(
  backend: Backend,
  id: string,
  settings: Partial<ProjectSettings>,
): Promise<Project> {
  return inTransaction(unitFor(backend), async (unit) => {
    // Locks the project, so that concurrent changes don't overwrite each other.
    const before = await lockProject(unit.db, id)
    if (!before) throw unknownProject(id)
    const idp = mergedKeys(before.settings.idp, settings.idp)
    const after: Project = { ...before, settings: { ...before.settings, ...settings, idp } }
    // Accepts a value that an older version stored, until it changes.
    const isOther = after.settings.tier !== before.settings.tier
    if (isOther || settings.rateLimit !== undefined) requireLimiting(after.settings)
    if (after.settings.require2fa && !before.settings.require2fa) requireMail(backend)
    await updateSettings(unit.db, id, after.settings)
    // Deletes roles that users may have written themselves before the setting was on.
    if (after.settings.trustDataRole && !before.settings.trustDataRole) await deleteTrustedRoles(unit.db, id)
    publish(unit, settingsChanged())
    publish(unit, identityChanged())
    happened(unit, projectEvent(after, 'changed', Object.keys(settings)))
    await audit(unit, { project: id, operation: 'settings.changed', subject: { names: Object.keys(settings) } })
    return after
  })
}

/** Merges provider keys one by one, because nobody can read the existing ones. An empty value deletes a key. */
function mergedKeys(before: ProjectSettings['idp'], given: ProjectSettings['idp'] = {}): ProjectSettings['idp'] {
  return Object.fromEntries(Object.entries({ ...before, ...given }).filter(([, value]) => value !== ''))
}

/**
 * Requires a mail server, because users without an authenticator get their code by mail and cannot add an authenticator
 * before they log in.
 *
 * @throws {SvcError} `VALIDATION_ERROR` if the service has no mail server
 */
function requireMail({ mail }: Backend): void {
  if (mail.reachesReaders) return
  const message = 'needs a mail server to send codes. Without one, users without an authenticator app cannot log in'
  const issue = { path: ['settings', 'require2fa'], message, type: 'no_mail' }
  throw new SvcError('VALIDATION_ERROR', `"settings.require2fa" ${message}.`, [issue])
}

/** @throws {SvcError} `VALIDATION_ERROR` for a rate limit without effect. Contract 10.1. */
function requireLimiting({ rateLimit, tier }: ProjectSettings): void {
  if (rateLimit === 'off') return
  const windows: readonly string[] = 'includes' in rateLimit ? rateLimit : Object.keys(rateLimit)
  const known: readonly string[] = 'includes' in rateLimit ? listWindows(tier) : windows
  const unknown = windows.find((window) => !known.includes(window))
  if (windows.length > 0 && unknown === undefined) return
  const message =
    unknown === undefined
      ? `must name at least one window. Use ${rateLimitWords}`
      : `has no default per ${unknown} in tier "${tier}". ${describeChoices(tier)}`
  const issue = { path: ['settings', 'rateLimit'], message, type: 'no_figure' }
  throw new SvcError('VALIDATION_ERROR', `"settings.rateLimit" ${message}.`, [issue])
}

function describeChoices(tier: Tier): string {
  const windows = listWindows(tier).map((window) => `["${window}"]`)
  const defaults = windows.length > 0 ? `Use ${windows.join(' or ')}, or set` : 'Set'
  return `${defaults} your own limit, for example {"minute": 100}`
}

/** Checks whether any project allows an origin. Batches concurrent lookups into one query. */
export async function allowsOrigin({ db, caches }: Backend, origin: string): Promise<boolean> {
  if (!originForm.test(origin)) return false
  const allowed = await caches.origins.of('all', () => selectAllowedOrigins(db))
  return allowed.has(origin.toLowerCase())
}

/** Lists projects by id, starting after the given one. */
export function listProjects(
  { db }: Backend,
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<ListedProject[]> {
  return selectProjects(db, page)
}

/** Reads the project with that id from the cache. */
export function cachedProject({ db, caches }: Backend, id: string): Promise<Project | undefined> {
  return caches.projects.of(id, () => selectProject(db, id))
}
