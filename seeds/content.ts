/** Parses and validates a seed, as far as possible without the service. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { fieldRuleKinds, type Permissions, permissionKinds, type Schema } from '../client/protocol/model/collection.js'
import { isObject, type Json, type JsonObject } from '../client/protocol/model/json.js'
import { isCollectionName } from '../client/protocol/model/schema.js'
import type { SeedIdentity } from '../client/protocol/model/seed/steps.js'
import { badSeed } from './failure.js'

/** Source of a seed, with positions for messages. */
export interface SeedSource {
  readonly name: string
  /** Returns the position of a path, such as `seed.json:5`. */
  locate(path: readonly string[]): string
}

/** A named entry of a seed. Its position is computed lazily, for messages. */
interface Named {
  /** Name for references. */
  readonly name: string
  readonly place: string
}

export interface DocumentEntry extends Named {
  readonly fields: JsonObject
}

export interface CollectionEntry extends Named {
  readonly schema: Schema | undefined
  readonly unique?: readonly (readonly string[])[] | undefined
  readonly title?: string | undefined
  readonly permissions: Permissions | undefined
  /** Field that identifies a document in upserts. */
  readonly key: string | undefined
  readonly documents: readonly DocumentEntry[]
}

export interface UserEntry extends Named {
  readonly email: string
  readonly password: string | undefined
  readonly passwordHash: string | undefined
  readonly data: JsonObject | undefined
  readonly roles: readonly string[] | undefined
  readonly verified: boolean | undefined
  readonly twoFactor: string | boolean | undefined
  readonly identity: SeedIdentity | undefined
}

export interface FileEntry extends Named {
  /** Path of the bytes. */
  readonly file: string
  /** Name of the stored file. */
  readonly fileName: string
  readonly path: string
  readonly isOwned: boolean
}

export interface SeedContent {
  readonly source: SeedSource
  readonly files: readonly FileEntry[]
  readonly users: readonly UserEntry[]
  readonly collections: readonly CollectionEntry[]
  /** True if the seed has this part. References to `users` and `files` then mean the part, not a collection. */
  readonly hasUsers: boolean
  readonly hasFiles: boolean
}

const parts = ['collections', 'users', 'files', '$schema']

/** Tells whether a value is a whole seed (collections, users, files) and not documents. */
export function isSeedContent(value: Json): value is JsonObject {
  if (!isObject(value)) return false
  return isObject(value.collections) || (Object.keys(value).every((name) => parts.includes(name)) && hasPart(value))
}

function hasPart({ users, files }: JsonObject): boolean {
  return isObject(users) || isObject(files)
}

/** @throws {InputFailure} for `{"posts": […]}`, which would become one document in a collection named after the file */
export function requireNoBareCollections({ locate }: SeedSource, value: Json): void {
  if (!isObject(value)) return
  const names = Object.keys(value).filter((name) => !parts.includes(name))
  const [name] = names.filter((each) => isBareCollection(value[each]))
  if (name === undefined || !names.every((each) => isBareCollection(value[each]) || isEmptyArray(value[each]))) return
  const hint = `Write {"collections": {"${name}": {"documents": […]}}}; write a single document as an array of one.`
  throw badSeed(locate([name]), `"${name}" looks like a collection, but is outside "collections"`, undefined, hint)
}

/** Recognizes an array of documents, or an object with `documents`. */
function isBareCollection(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject)
  return isObject(value) && typeof value.documents === 'object' && value.documents !== null
}

function isEmptyArray(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 0
}

/** @throws {InputFailure} with the position of the first error */
export function readContent(source: SeedSource, content: JsonObject): SeedContent {
  const other = Object.keys(content).find((name) => !parts.includes(name))
  if (other !== undefined) {
    const what = `"${other}" is not part of a seed file. Use collections, users and files`
    throw badSeed(source.locate([other]), what)
  }
  const { collections = {}, users = {}, files = {} } = content
  return {
    source,
    files: readEntries(source, ['files'], files).map(([name, file]) => readFileEntry(source, name, file)),
    users: readEntries(source, ['users'], users).map(([name, user]) => readUser(source, name, user)),
    collections: readEntries(source, ['collections'], collections).map(([name, one]) =>
      readCollection(source, name, one),
    ),
    hasUsers: content.users !== undefined,
    hasFiles: content.files !== undefined,
  }
}

const collectionNames = ['schema', 'unique', 'title', 'permissions', 'key', 'documents'] as const

function readCollection(source: SeedSource, name: string, value: Json): CollectionEntry {
  const path = ['collections', name]
  if (!isObject(value)) throw badSeed(source.locate(path), `"${name}" is not an object`)
  if (!isCollectionName(name)) throw badSeed(source.locate(path), `"${name}" is not a valid collection name`)
  requireNames(source, path, value, collectionNames, `"${name}"`)
  const { schema, unique, permissions, key, documents = [] } = value
  if (typeof documents !== 'object' || documents === null) {
    const what = `"documents" of "${name}" must be an array or an object`
    throw badSeed(source.locate([...path, 'documents']), what)
  }
  if (schema !== undefined && !isObject(schema)) throw notA(source, [...path, 'schema'], 'object')
  return {
    name,
    ...placeIn(source, path),
    // The service validates the schema.
    schema: schema as Schema | undefined,
    unique: unique as CollectionEntry['unique'],
    title: optional(source, [...path, 'title'], value.title, 'string'),
    permissions: readPermissions(source, [...path, 'permissions'], permissions),
    key: optional(source, [...path, 'key'], key, 'string'),
    documents: Object.entries(documents).map(([title, fields]) => {
      const place = [...path, 'documents', title]
      if (!isObject(fields)) throw badSeed(source.locate(place), `"${name}.${title}" is not an object`)
      return { name: title, fields, ...placeIn(source, place) }
    }),
  }
}

function readPermissions(source: SeedSource, path: string[], value: Json | undefined): Permissions | undefined {
  if (value === undefined) return undefined
  if (!isObject(value)) throw notA(source, path, 'object')
  requireNames(source, path, value, [...permissionKinds, ...fieldRuleKinds], '"permissions"')
  for (const kind of permissionKinds) {
    if (value[kind] !== undefined) requireTexts(source, [...path, kind], value[kind])
  }
  for (const rule of fieldRuleKinds) {
    const fields = value[rule] ?? {}
    if (!isObject(fields)) throw notA(source, [...path, rule], 'object')
    for (const [field, roles] of Object.entries(fields)) requireTexts(source, [...path, rule, field], roles)
  }
  return value as Permissions
}

const userNames = ['email', 'password', 'passwordHash', 'data', 'roles', 'verified', 'twoFactor', 'identity'] as const

function readUser(source: SeedSource, name: string, value: Json): UserEntry {
  const path = ['users', name]
  if (!isObject(value)) throw badSeed(source.locate(path), `"${name}" is not an object`)
  requireNames(source, path, value, userNames, `"users.${name}"`)
  const { data, roles, twoFactor, identity } = value
  const text = (field: (typeof userNames)[number]) => optional(source, [...path, field], value[field], 'string')
  const email = text('email')
  if (email === undefined) throw badSeed(source.locate(path), `"users.${name}" has no "email"`)
  if (data !== undefined && !isObject(data)) throw notA(source, [...path, 'data'], 'object')
  if (twoFactor !== undefined && typeof twoFactor !== 'string' && typeof twoFactor !== 'boolean') {
    throw badSeed(source.locate([...path, 'twoFactor']), '"twoFactor" must be true, false, or a base32 secret')
  }
  return {
    ...{ name, email, data, twoFactor, ...placeIn(source, path) },
    password: text('password'),
    passwordHash: text('passwordHash'),
    roles: roles === undefined ? undefined : requireTexts(source, [...path, 'roles'], roles),
    verified: optional(source, [...path, 'verified'], value.verified, 'boolean'),
    identity: identity === undefined ? undefined : readIdentity(source, [...path, 'identity'], identity),
  }
}

function readIdentity(source: SeedSource, path: string[], value: Json): SeedIdentity {
  if (!isObject(value)) throw notA(source, path, 'object')
  requireNames(source, path, value, ['provider', 'subject'], '"identity"')
  const { provider, subject } = value
  if (typeof provider === 'string' && typeof subject === 'string') return { provider, subject }
  throw badSeed(source.locate(path), '"identity" needs a "provider" and a "subject"')
}

const fileNames = ['file', 'name', 'path', 'owned'] as const

/** Reads a file entry. Refuses files outside the folder of the seed, also through links. */
function readFileEntry(source: SeedSource, name: string, value: Json): FileEntry {
  const path = ['files', name]
  const entry = typeof value === 'string' ? { file: value } : value
  if (!isObject(entry)) throw badSeed(source.locate(path), `"files.${name}" must be a path or an object`)
  requireNames(source, path, entry, fileNames, `"files.${name}"`)
  const text = (field: (typeof fileNames)[number]) => optional(source, [...path, field], entry[field], 'string')
  const named = text('file')
  if (named === undefined) throw badSeed(source.locate(path), `"files.${name}" has no "file"`)
  const file = requireBeside(source, path, named)
  return {
    ...{ name, file, ...placeIn(source, path) },
    fileName: text('name') ?? basename(file),
    path: text('path') ?? '',
    isOwned: optional(source, [...path, 'owned'], entry.owned, 'boolean') ?? false,
  }
}

function requireBeside(source: SeedSource, path: readonly string[], named: string): string {
  const folder = dirname(resolve(source.name))
  const place = resolve(folder, named)
  if (isAbsolute(named) || isOutside(folder, place)) throw outside(source, path, named)
  if (!existsSync(place) || !statSync(place).isFile())
    throw badSeed(source.locate(path), `file "${named}" does not exist`)
  if (isOutside(realpathSync(folder), realpathSync(place))) throw outside(source, path, named)
  return place
}

function isOutside(folder: string, place: string): boolean {
  const way = relative(folder, place)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
}

function outside(source: SeedSource, path: readonly string[], named: string) {
  return badSeed(source.locate(path), `"${named}" is outside the folder of the seed`)
}

function placeIn(source: SeedSource, path: readonly string[]) {
  return {
    get place() {
      return source.locate(path)
    },
  }
}

function readEntries(source: SeedSource, path: readonly string[], value: Json): [string, Json][] {
  if (isObject(value)) return Object.entries(value)
  throw notA(source, path, 'object')
}

function requireNames(
  source: SeedSource,
  path: readonly string[],
  value: JsonObject,
  known: readonly string[],
  what: string,
): void {
  const other = Object.keys(value).find((name) => !known.includes(name))
  if (other === undefined) return
  const all = `${known.slice(0, -1).join(', ')} and ${known.at(-1)}`
  throw badSeed(source.locate([...path, other]), `unknown "${other}" in ${what}. Use ${all}`)
}

function requireTexts(source: SeedSource, path: readonly string[], value: Json | undefined): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw badSeed(source.locate(path), `"${path.at(-1)}" must be an array of strings`)
}

interface Primitives {
  readonly string: string
  readonly boolean: boolean
}

function optional<Type extends keyof Primitives>(
  source: SeedSource,
  path: readonly string[],
  value: Json | undefined,
  type: Type,
): Primitives[Type] | undefined {
  if (value === undefined) return undefined
  if (typeof value === type) return value as Primitives[Type]
  throw notA(source, path, type)
}

function notA(source: SeedSource, path: readonly string[], type: string) {
  return badSeed(source.locate(path), `"${path.at(-1)}" must be ${type === 'object' ? 'an' : 'a'} ${type}`)
}
