import { createHash, randomBytes } from 'node:crypto'
import { SvcError } from '../../client/model/errors.js'
import { defaultSettings, type Project, type ProjectSettings } from '../../client/model/project.js'
import {
  insertProject,
  type ProjectKey,
  selectAllowsOrigin,
  selectProject,
  selectProjectByKey,
  selectPublicKey,
  writeSettings,
} from '../store/projects.js'
import type { Backend, Identity } from './context.js'

export interface NewProject {
  readonly project: Project
  /** Ships in apps; opens whatever no permission closes. */
  readonly apiKey: string
  /** Never ships; satisfies every role. Shown this once, kept as a hash. */
  readonly secretKey: string
}

/** Whose key that is; nothing if it is nobody's. */
export async function identify(backend: Backend, key: string): Promise<Identity | undefined> {
  const known = backend.known.callers.get(key)
  if (known) return known
  const found = await selectProjectByKey(backend.db, hash(key))
  if (!found) return undefined
  const { project, keyId, secret } = found
  const identity: Identity = { project, caller: { id: keyId, key: { id: keyId, secret }, user: undefined, secret } }
  backend.known.callers.set(key, identity)
  return identity
}

export async function createProject(
  backend: Backend,
  { id, name, settings = {} }: { id?: string; name: string; settings?: Partial<ProjectSettings> },
): Promise<NewProject> {
  const now = backend.now()
  const project: Project = { id: id ?? backend.newId(now), name, settings: { ...defaultSettings, ...settings } }
  const apiKey = newKey('svc_key_')
  const secretKey = newKey('svc_secret_')
  const keys: ProjectKey[] = [
    { id: backend.newId(now), hash: hash(apiKey), secret: false, readable: apiKey },
    { id: backend.newId(now), hash: hash(secretKey), secret: true, readable: null },
  ]
  await insertProject(backend.db, project, keys, now.toISOString())
  return { project, apiKey, secretKey }
}

/** The project of that id and its public key, made on first use; the secret key only then. */
export async function openProject(
  backend: Backend,
  id: string,
): Promise<Omit<NewProject, 'secretKey'> & { secretKey: string | undefined }> {
  const [project, apiKey] = await Promise.all([selectProject(backend.db, id), selectPublicKey(backend.db, id)])
  if (project && apiKey) return { project, apiKey, secretKey: undefined }
  return createProject(backend, { id, name: id })
}

/** @throws {SvcError} `NOT_FOUND` */
export async function requireProject({ db }: Backend, id: string): Promise<Project> {
  const project = await selectProject(db, id)
  if (project) return project
  throw new SvcError('NOT_FOUND', `No project "${id.slice(0, 80)}".`)
}

/** Changes some settings of a project. @throws {SvcError} `NOT_FOUND` */
export async function changeProject(
  backend: Backend,
  id: string,
  settings: Partial<ProjectSettings>,
): Promise<Project> {
  const before = await requireProject(backend, id)
  const after: Project = { ...before, settings: { ...before.settings, ...settings } }
  await writeSettings(backend.db, id, after.settings)
  backend.known.callers.clear()
  return after
}

/** Whether any project allows pages of that origin. */
export function allowsOrigin({ db }: Backend, origin: string): Promise<boolean> {
  return selectAllowsOrigin(db, origin)
}

function newKey(prefix: string): string {
  return `${prefix}${randomBytes(18).toString('base64url')}`
}

function hash(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
