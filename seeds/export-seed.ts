/** Writes a project as a seed. Unchanged projects give the same text. */
import type { Permissions, Schema } from '../client/protocol/model/collection.js'
import { isObject, type Json, type JsonObject, setOwn } from '../client/protocol/model/json.js'
import { referenceName, referencesIn } from '../client/protocol/model/seed/references.js'
import { InputFailure } from './failure.js'
import { mapTexts } from './map-texts.js'

export interface ExportedDocument {
  readonly id: string
  readonly data: JsonObject
}

export interface ExportedCollection {
  readonly name: string
  readonly schema: Schema
  readonly unique?: readonly (readonly string[])[]
  readonly title?: string
  readonly permissions: Permissions
  /** Oldest first. */
  readonly documents: readonly ExportedDocument[]
}

export interface ExportedUser {
  readonly id: string
  readonly email: string
  readonly data: JsonObject
  readonly roles: readonly string[]
  readonly verified: boolean
  readonly passwordHash: string | null
  readonly twoFactor: string | null
  readonly identity: { readonly provider: string; readonly subject: string } | null
}

export interface ExportedFile {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly url: string
  /** Document or user that owns the file. */
  readonly owner: string | null
}

export interface ExportedProject {
  readonly collections: readonly ExportedCollection[]
  readonly users: readonly ExportedUser[]
  readonly files: readonly ExportedFile[]
}

export interface ExportedSeed {
  readonly text: string
  readonly users: number
  /** Files to save next to the seed, and their paths. */
  readonly files: readonly { readonly url: string; readonly place: string }[]
}

/**
 * Replaces ids of users, files and documents by references to their names.
 *
 * @param isWhole includes users and files without references
 * @throws {InputFailure} for text that would be read as a reference
 */
export function exportSeed(project: ExportedProject, { isWhole }: { readonly isWhole: boolean }): ExportedSeed {
  const names = namesIn(project)
  const used = new Set<string>()
  const collections = sortedBy(project.collections, ({ name }) => name).map((one) => writeCollection(one, names, used))
  const users = project.users
    .filter(({ id }) => isWhole || used.has(id))
    .map((user) => [names.users.get(user.id) ?? '', writeUser(user, names, used)] as const)
  const files = project.files.filter(({ id, owner }) => (owner === null ? isWhole || used.has(id) : used.has(id)))
  const seed = {
    ...section(
      'files',
      files.map((file) => [names.files.get(file.id) ?? '', writeFile(file, names)] as const),
    ),
    ...section('users', users),
    ...section('collections', collections),
  }
  return {
    text: `${JSON.stringify(seed, null, 2)}\n`,
    users: users.length,
    files: files.map((file) => ({ url: file.url, place: buildFilePath(file, names) })),
  }
}

interface Names {
  readonly users: ReadonlyMap<string, string>
  readonly files: ReadonlyMap<string, string>
  readonly documents: ReadonlyMap<string, string>
  /** References by id of a user or document. */
  readonly references: ReadonlyMap<string, string>
  /** Documents that others refer to. */
  readonly referred: ReadonlySet<string>
  readonly urls: readonly (readonly [url: string, id: string])[]
}

function namesIn({ collections, users, files }: ExportedProject): Names {
  const ids = new Set(collections.flatMap(({ documents }) => documents.map(({ id }) => id)))
  const referred = new Set(
    [...collections.flatMap(({ documents }) => documents), ...users].flatMap(({ data }) =>
      textsIn(data).filter((text) => ids.has(text)),
    ),
  )
  const userNames = named(users, ({ email }) => email.replace(/@.*/, ''))
  const byCollection = collections.map(
    ({ name, documents }) => [referenceName(name), named(documents, ({ data }) => findTitle(data) ?? name)] as const,
  )
  return {
    referred,
    users: userNames,
    files: named(files, ({ name }) => name.replace(/\.[^.]*$/, '')),
    documents: new Map(byCollection.flatMap(([, documents]) => [...documents])),
    references: new Map(
      [['users', userNames] as const, ...byCollection].flatMap(([kind, some]) =>
        [...some].map(([id, name]) => [id, `\${${kind}.${name}.id}`] as const),
      ),
    ),
    urls: files.map(({ url, id }) => [url, id] as const),
  }
}

const titles = ['slug', 'name', 'title', 'email']

function findTitle(data: JsonObject): string | undefined {
  const title = titles.map((field) => data[field]).find((value) => typeof value === 'string' && slugify(value) !== '')
  return typeof title === 'string' ? title : undefined
}

/** Assigns short, unique names by id: a second "ada" becomes "ada-2". */
function named<One extends { readonly id: string }>(all: readonly One[], chooseName: (one: One) => string) {
  const taken = new Set<string>()
  const names = new Map<string, string>()
  for (const one of all) {
    const wanted = slugify(chooseName(one)) || 'unnamed'
    let name = wanted
    for (let number = 2; taken.has(name); number++) name = `${wanted}-${number}`
    taken.add(name)
    names.set(one.id, name)
  }
  return names
}

/** Creates a name without dots and braces, which separate references. Avoids bare numbers, which objects would put first. */
function slugify(text: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '')
  return /^\d+$/.test(slug) ? `n${slug}` : slug
}

function writeCollection(
  { name, schema, unique = [], title, permissions, documents }: ExportedCollection,
  names: Names,
  used: Set<string>,
): readonly [string, JsonObject] {
  const isNamed = documents.some(({ id }) => names.referred.has(id))
  const written = documents.map(
    ({ id, data }) => [names.documents.get(id) ?? '', referring(data, names, used, name)] as const,
  )
  const content = isNamed ? toObject(written) : written.map(([, fields]) => fields)
  // An empty list of roles opens a permission, but closes a field.
  const set = Object.entries(permissions).filter(([, some]) => Object.keys(some).length > 0)
  return [
    name,
    {
      ...(Object.keys(schema).length > 0 ? { schema: withSortedRules(JSON.parse(JSON.stringify(schema))) } : {}),
      ...(unique.length > 0 ? { unique: JSON.parse(JSON.stringify(unique)) } : {}),
      ...(title === undefined ? {} : { title }),
      ...(set.length > 0 ? { permissions: JSON.parse(JSON.stringify(Object.fromEntries(set))) } : {}),
      ...(documents.length > 0 ? { documents: content } : {}),
    },
  ]
}

function writeUser(user: ExportedUser, names: Names, used: Set<string>): JsonObject {
  const { email, data, roles, verified, passwordHash, twoFactor, identity } = user
  return {
    email,
    ...(Object.keys(data).length > 0 ? { data: referring(data, names, used, 'users') } : {}),
    ...(roles.length > 0 ? { roles: [...roles] } : {}),
    ...(verified === (identity !== null) ? {} : { verified }),
    ...(passwordHash === null ? {} : { passwordHash }),
    ...(twoFactor === null ? {} : { twoFactor }),
    ...(identity === null ? {} : { identity: { ...identity } }),
  }
}

function writeFile(file: ExportedFile, names: Names): Json {
  const place = buildFilePath(file, names)
  const { name, path, owner } = file
  const isNamed = !place.endsWith(`/${name}`)
  if (!isNamed && path === '' && owner === null) return place
  return {
    file: place,
    ...(isNamed ? { name } : {}),
    ...(path === '' ? {} : { path }),
    ...(owner === null ? {} : { owned: true }),
  }
}

/** Keeps only letters, digits and the extension, because stored names may be unsafe on disk. */
function buildFilePath({ id, name }: ExportedFile, names: Names): string {
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
  return `files/${names.files.get(id)}${ending}`
}

/** Replaces ids and URLs by references, and sorts keys. */
function referring(data: JsonObject, names: Names, used: Set<string>, where: string): JsonObject {
  const [found] = referencesIn(data)
  if (found) {
    const message = `"${where}" contains the text ${found.text}, which a seed would read as a reference.`
    throw new InputFailure('invalid', 'NOT_EXPORTABLE', message, 'Change this text, or export other collections.')
  }
  const text = (value: string): string => {
    const reference = names.references.get(value)
    if (reference !== undefined) used.add(value)
    if (reference !== undefined || !value.includes('/files/')) return reference ?? value
    return names.urls.reduce((all, [url, id]) => {
      if (!all.includes(url)) return all
      used.add(id)
      return all.replaceAll(url, `\${files.${names.files.get(id)}.url}`)
    }, value)
  }
  return sorted(mapTexts(data, text))
}

function section(name: string, entries: readonly (readonly [string, Json])[]): JsonObject {
  return entries.length === 0 ? {} : { [name]: toObject(entries) }
}

function toObject(entries: readonly (readonly [string, Json])[]): JsonObject {
  const object: JsonObject = {}
  for (const [name, value] of entries) setOwn(object, name, value)
  return object
}

function sortedBy<One>(all: readonly One[], readKey: (one: One) => string): One[] {
  return [...all].sort((one, other) => (readKey(one) < readKey(other) ? -1 : 1))
}

/** Keeps the order of fields, also of nested ones, which tables and forms use. */
function withSortedRules(schema: JsonObject): JsonObject {
  return toObject(Object.entries(schema).map(([field, rule]) => [field, isObject(rule) ? sortedRule(rule) : rule]))
}

function sortedRule(rule: JsonObject): JsonObject {
  const { fields, items } = rule
  return sorted({
    ...rule,
    ...(isObject(items) ? { items: sortedRule(items) } : {}),
    ...(isObject(fields) ? { fields: withSortedRules(fields) } : {}),
  })
}

function sorted<Value extends Json>(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted) as Value
  if (!isObject(value)) return value
  const entries = sortedBy(Object.entries(value), ([name]) => name)
  return toObject(entries.map(([name, member]) => [name, sorted(member)])) as Value
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
