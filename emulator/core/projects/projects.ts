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
import { hashOf } from '../hashes.js'
import { callerOf } from '../identity.js'
import { happened, identityChanged, inTransaction, publish, settingsChanged, unitOf } from '../unit-of-work.js'
import { createKey, drawKeys } from './keys.js'
import { unknownProject } from './require-project.js'

export interface NewProject {
  readonly project: Project
  /** Ships in apps; opens whatever no permission closes. */
  readonly apiKey: string
  /** Never ships; satisfies every role. Shown this once, kept as a hash. */
  readonly secretKey: string
}

/** The project that has that key; nothing if none has. */
export function identify(backend: Backend, key: string): Promise<Identity | undefined> {
  return backend.caches.callers.of(key, async () => {
    const found = await selectProjectByKey(backend.db, hashOf(key))
    if (!found) return undefined
    return { project: found.project, caller: callerOf(found.key) }
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
  await inTransaction(unitOf(backend), async (unit) => {
    await insertProject(unit.db, project, keys, now.toISOString())
    publish(unit, settingsChanged())
    happened(unit, projectEvent(project, 'created'))
    await audit(unit, { project: project.id, operation: 'project.created', subject: { names: Object.keys(settings) } })
  })
  return { project, apiKey, secretKey }
}

/**
 * The project of that id and its public key, made on first use; the secret key only when it is drawn. The keys that the state
 * folder has kept open it, whatever became of its data.
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

/** A project that a service was opened for. The secret key is there only when this start drew it. */
export type OpenedProject = Omit<NewProject, 'secretKey'> & { readonly secretKey: string | undefined }

async function makeProject(backend: Backend, id: string): Promise<OpenedProject> {
  const { keyring } = backend
  const drawn = drawKeys(backend)
  // Whoever knows a number of other data behind the same key begins anew: the key, and all that goes by it, stays the same.
  const beginning = numbersLeftOut * (await keyring.nextStep(id))
  // Kept before they are used: of two that start together in a new folder, one draws for both.
  const keys = await keyring.keepFirst(id, drawn.keys)
  const project: Project = { id, name: id, settings: defaultSettings }
  await inTransaction(unitOf(backend), async (unit) => {
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

/** One that is good for all that a public key may do, for ever. */
function publicKey(keys: readonly ProjectKey[]): string | undefined {
  const isWhole = ({ readable, scopes, expiresAt }: ProjectKey) =>
    readable !== null && scopes === null && expiresAt === null
  return keys.find(isWhole)?.readable ?? undefined
}

/** Changes some settings of a project. @throws {SvcError} `NOT_FOUND` */
export async function changeProject(
  backend: Backend,
  id: string,
  settings: Partial<ProjectSettings>,
): Promise<Project> {
  return inTransaction(unitOf(backend), async (unit) => {
    // Two that change it at once change it one after the other, so that the second keeps what the first has changed.
    const before = await lockProject(unit.db, id)
    if (!before) throw unknownProject(id)
    const idp = mergedKeys(before.settings.idp, settings.idp)
    const after: Project = { ...before, settings: { ...before.settings, ...settings, idp } }
    // What an older service has stored may stay until it is changed.
    const isOther = after.settings.tier !== before.settings.tier
    if (isOther || settings.rateLimit !== undefined) requireLimiting(after.settings)
    if (after.settings.require2fa && !before.settings.require2fa) requireMail(backend)
    await updateSettings(unit.db, id, after.settings)
    // Until now, users may have written it themselves.
    if (after.settings.trustDataRole && !before.settings.trustDataRole) await deleteTrustedRoles(unit.db, id)
    publish(unit, settingsChanged())
    publish(unit, identityChanged())
    happened(unit, projectEvent(after, 'changed', Object.keys(settings)))
    await audit(unit, { project: id, operation: 'settings.changed', subject: { names: Object.keys(settings) } })
    return after
  })
}

/** Keys of providers are set one by one, as nobody can read those that are there; an empty one is taken away. */
function mergedKeys(before: ProjectSettings['idp'], given: ProjectSettings['idp'] = {}): ProjectSettings['idp'] {
  return Object.fromEntries(Object.entries({ ...before, ...given }).filter(([, value]) => value !== ''))
}

/**
 * Users without an authenticator get their code by mail, and cannot add one before they are logged in.
 *
 * @throws {SvcError} `VALIDATION_ERROR` where no mail arrives
 */
function requireMail({ mail }: Backend): void {
  if (mail.reachesReaders) return
  const message =
    'takes a mail server, as codes come by mail: without one, users without an authenticator cannot log in'
  const issue = { path: ['settings', 'require2fa'], message, type: 'no_mail' }
  throw new SvcError('VALIDATION_ERROR', `"settings.require2fa" ${message}.`, [issue])
}

/** @throws {SvcError} `VALIDATION_ERROR` for a rate limit that would limit nothing. Contract 10.1. */
function requireLimiting({ rateLimit, tier }: ProjectSettings): void {
  if (rateLimit === 'off') return
  const windows: readonly string[] = 'includes' in rateLimit ? rateLimit : Object.keys(rateLimit)
  const known: readonly string[] = 'includes' in rateLimit ? listWindows(tier) : windows
  const unknown = windows.find((window) => !known.includes(window))
  if (windows.length > 0 && unknown === undefined) return
  const message =
    unknown === undefined
      ? `names no window and would limit nothing; it takes ${rateLimitWords}`
      : `has no figure for the tier "${tier}" by the ${unknown}. ${choicesOf(tier)}`
  const issue = { path: ['settings', 'rateLimit'], message, type: 'no_figure' }
  throw new SvcError('VALIDATION_ERROR', `"settings.rateLimit" ${message}.`, [issue])
}

function choicesOf(tier: Tier): string {
  const windows = listWindows(tier).map((window) => `["${window}"]`)
  const figures = windows.length > 0 ? `This tier has figures for ${windows.join(' and ')}; or write` : 'Write'
  return `${figures} numbers of your own, as {"minute": 100}`
}

/** Whether any project allows pages of that origin. However many origins are asked for, they are read together. */
export async function allowsOrigin({ db, caches }: Backend, origin: string): Promise<boolean> {
  if (!originForm.test(origin)) return false
  const allowed = await caches.origins.of('all', () => selectAllowedOrigins(db))
  return allowed.has(origin.toLowerCase())
}

/** The projects by their ids, behind that one. */
export function listProjects(
  { db }: Backend,
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<ListedProject[]> {
  return selectProjects(db, page)
}

/** The project of that id, from the cache. */
export function cachedProject({ db, caches }: Backend, id: string): Promise<Project | undefined> {
  return caches.projects.of(id, () => selectProject(db, id))
}
