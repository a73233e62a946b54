/** The tools of `svc mcp`. Names and descriptions are fixed: nothing from a service gets into them. */
import { fieldTypes, permissionKinds } from '../../client/protocol/model/collection.js'
import { isObject } from '../../client/protocol/model/json.js'
import { namedOperators } from '../../client/protocol/model/operator-kinds.js'
import { misuse } from '../base/failure.js'
import { fromCommand, fromOperation, type Given, type Tool } from './tool.js'

const collection = { type: 'string', description: 'Name of the collection.' }
const document = { type: 'string', description: 'Id of the document.' }
const as = {
  type: 'string',
  description: 'Act as this user (email or id), under the permissions. Default: owner, who sees all.',
}
const texts = { type: 'array', items: { type: 'string' } }

/** Leaves out what `text` repeats. */
function readableMail(result: unknown): unknown {
  if (Array.isArray(result)) return { mails: result }
  if (!isObject(result)) return result
  const { raw, html, ...mail } = result
  return mail
}

function isGiven(given: Given, ...names: readonly string[]): boolean {
  return names.some((name) => given[name] !== undefined)
}

/** In the order in which they are listed. */
export const tools: { readonly [name: string]: Tool } = {
  collections: {
    ...fromCommand({
      description: 'List collections. With a name: its schema, permissions and document count.',
      command: ({ collection }) => (collection === undefined ? 'collections:list' : 'collections:get'),
      of: ['collections:get'],
      args: ['collection'],
      ...{ effect: 'read', isUsual: true, isForAnyService: true },
    }),
    input: async () => ({ properties: { collection }, required: [] }),
  },
  find_documents: {
    description: 'List the documents that match, with the total.',
    ...{ effect: 'read', isUsual: true, isForAnyService: true },
    input: async () => ({
      properties: {
        collection,
        where: {
          type: 'object',
          description: `As in the client: {"status":"draft","views":{"gte":100},"author.name":{"icontains":"ada"}}. Operators: ${namedOperators.join(' ')}.`,
        },
        sort: { ...texts, description: 'Fields; "-" first for descending.' },
        populate: { ...texts, description: 'Links to include, for example author or comments.author.' },
        select: { ...texts, description: 'The only fields to read.' },
        limit: { type: 'integer', description: 'Default 20. 0 only counts.' },
        offset: { type: 'integer' },
        as,
      },
      required: ['collection'],
    }),
    run: ({ collection, where, as, limit = 20, ...query }, host) =>
      host.client(
        {
          async run(client) {
            const documents = client.collection(String(collection))
            const matching = where === undefined ? {} : { where: where as never }
            if (limit === 0) return { total: await documents.count(matching) }
            return documents.list({ ...query, ...matching, limit: Number(limit) } as never)
          },
        },
        as,
      ),
  },
  get_document: {
    description: 'Get a document.',
    ...{ effect: 'read', isUsual: true, isForAnyService: true },
    input: async () => ({
      properties: { collection, id: document, populate: { ...texts, description: 'Links to include.' }, as },
      required: ['collection', 'id'],
    }),
    run: ({ collection, id, populate, as }, host) =>
      host.client(
        { run: (client) => client.collection(String(collection)).get(String(id), { populate } as never) },
        as,
      ),
  },
  sql: fromOperation({
    description:
      'Run one SELECT over collections, users and files, each a table. Fields are columns; "data" has the whole document. Changes nothing.',
    operation: ['sql', 'run'],
    fields: ['query', 'limit'],
    ...{ effect: 'read', isUsual: true },
    call: (control, given: { query: string }, project) => control.sql.run({ project, ...given }),
  }),
  requests: fromOperation({
    description: 'List recorded requests, newest first. With an id: headers, bodies, SQL and timing.',
    operation: ['requests', 'list'],
    fields: ['status', 'method', 'path', 'code', 'user', 'limit'],
    more: { id: { type: 'string' }, method: { description: 'For example POST.' } },
    ...{ effect: 'read', isUsual: true },
    call: ({ requests }, { id, limit = 20, ...filter }: { id?: string; limit?: number }, project) =>
      id === undefined ? requests.list({ project, limit, ...filter }) : requests.get({ id }),
  }),
  why_refused: fromCommand({
    description: 'Explain why a request failed and how to fix it. Start here when something is refused.',
    command: 'requests:show',
    words: ['--why'],
    args: ['id'],
    more: { id: { description: 'Id of the request (x-request-id). Default: the last that failed.' } },
    ...{ effect: 'read', isUsual: true },
  }),
  mail: fromCommand({
    description: 'Read the newest mail to an address, with its codes and links, or list mails.',
    command: ({ list }) => (list === true ? 'mail:list' : 'mail:show'),
    of: ['mail:show'],
    args: ['id'],
    flags: ['to'],
    more: {
      id: { description: 'Id of a mail.' },
      to: { description: 'Address of the recipient.' },
      list: { type: 'boolean' },
    },
    ...{ effect: 'read', isUsual: true },
    shorten: readableMail,
  }),
  users: fromOperation({
    description: 'List the users of the app with their roles, or find one by email.',
    operation: ['users', 'list'],
    fields: ['email', 'after', 'limit'],
    ...{ effect: 'read', isUsual: true },
    call: ({ users }, given: Given, project) => users.list({ project, limit: 20, ...given }),
  }),
  snapshots: fromOperation({
    description: 'List snapshots of all data. With "from", list what changed since that one.',
    operation: ['snapshots', 'diff'],
    fields: ['to'],
    more: { from: { type: 'string', description: 'Name of the earlier snapshot.' } },
    ...{ effect: 'read', isUsual: true },
    call: ({ snapshots }, { from, to }: { from?: string; to?: string }, project) =>
      from === undefined
        ? snapshots.list({ project })
        : snapshots.diff({ project, snapshot: from, ...(to ? { to } : {}) }),
  }),
  write_document: {
    description: 'Create, update, replace or delete a document.',
    ...{ effect: 'destroy', isUsual: true, isForAnyService: true, takeBack: 'snapshot' },
    input: async () => ({
      properties: {
        collection,
        action: { type: 'string', enum: ['create', 'update', 'replace', 'delete'] },
        id: { type: 'string', description: 'Needed unless you create.' },
        fields: { type: 'object', description: 'Fields by name.' },
        as,
      },
      required: ['collection', 'action'],
    }),
    run: ({ collection, action, id, fields = {}, as }, host) =>
      host.client(
        {
          change: `${String(action)} a document in "${collection}"`,
          async run(client) {
            const documents = client.collection(String(collection))
            if (action === 'create') return documents.create(fields as never)
            if (id === undefined) throw misuse('"id" is missing.', 'Pass the id of the document.')
            if (action === 'update') return documents.update(String(id), fields as never)
            if (action === 'replace') return documents.replace(String(id), fields as never)
            await documents.delete(String(id))
            return { deleted: id }
          },
        },
        as,
      ),
  },
  write_collection: {
    description: 'Create a collection, or change the schema or permissions of one. Keeps what you leave out.',
    ...{ effect: 'write', isUsual: true, isForAnyService: true, takeBack: 'snapshot' },
    input: async () => ({
      properties: {
        collection,
        schema: {
          type: 'object',
          description: `All fields: {"title":{"type":"string","required":true},"author":{"type":"link","to":"users"}}. Types: ${fieldTypes.join(' ')}.`,
        },
        permissions: {
          type: 'object',
          description: `Roles for ${permissionKinds.join(', ')}: {"update":["owner","admin"]}. "authenticated": every user; "owner": the creator; "member:FIELD": the users in a field; []: everyone with a key.`,
        },
      },
      required: ['collection'],
    }),
    run: ({ collection, schema, permissions }, host) =>
      host.client(
        {
          change: `Change the collection "${collection}"`,
          async run({ collections }) {
            const name = String(collection)
            const before = (await collections.list()).find((one) => one.name === name)
            const written = schema === undefined ? {} : { schema: schema as never }
            if (!before) return collections.create({ name, ...written, ...(permissions ? { permissions } : {}) })
            const merged =
              permissions === undefined ? {} : { permissions: { ...before.permissions, ...(permissions as object) } }
            return collections.update(name, { ...written, ...merged })
          },
        },
        undefined,
      ),
  },
  undo: fromOperation({
    description: 'Take back the last write of a tool or destructive command. Keeps what changed since.',
    operation: ['snapshots', 'undo'],
    fields: ['snapshot'],
    ...{ effect: 'destroy', isUsual: true, takeBack: 'Write it again. An undo cannot be undone.' },
    call: ({ snapshots }, { snapshot }: { snapshot?: string }, project) =>
      snapshots.undo({ project, ...(snapshot ? { snapshot } : {}) }),
  }),

  rights: fromCommand({
    description: 'Show what each kind of caller may do in a collection, and why not.',
    command: 'collections:permissions',
    words: ['--matrix'],
    args: ['collection'],
    flags: ['document', 'user'],
    ...{ effect: 'read', isUsual: false },
  }),
  history: fromCommand({
    description: 'Show earlier versions of a document.',
    command: 'docs:history',
    args: ['collection', 'id'],
    ...{ effect: 'read', isUsual: false },
  }),
  types: fromCommand({
    description: 'Generate types for createClient<Schema>() and return the text.',
    command: 'types:generate',
    words: ['--out=-'],
    args: ['collection'],
    flags: ['format'],
    ...{ effect: 'read', isUsual: false, isForAnyService: true },
  }),
  logs: fromCommand({
    description: 'Read the request and error logs of the emulator.',
    command: 'logs',
    flags: ['last', 'only'],
    more: { last: { type: 'integer' } },
    ...{ effect: 'read', isUsual: false },
  }),
  user_token: fromCommand({
    description: 'Get a token to send requests as a user, without a password.',
    command: 'users:token',
    args: ['user'],
    ...{ effect: 'write', isUsual: false, takeBack: 'End the session: svc users logout <email>' },
  }),
  write_user: fromOperation({
    description: 'Create a user, or change the one with "id".',
    operation: ['users', 'create'],
    fields: ['email', 'password', 'roles', 'emailVerified', 'data'],
    more: { id: { type: 'string' }, roles: { type: 'array' } },
    required: [],
    ...{ effect: 'write', isUsual: false, takeBack: 'snapshot' },
    call: ({ users }, { id, ...given }: { id?: string; email: string }, project) =>
      id === undefined ? users.create({ project, ...given }) : users.update({ user: id, ...given }),
  }),
  save_snapshot: fromOperation({
    description: 'Save all data under a name.',
    operation: ['snapshots', 'save'],
    fields: ['name', 'replace'],
    ...{ effect: 'write', isUsual: false, takeBack: 'Delete it: svc snapshot remove <name>' },
    call: ({ snapshots }, given: Given, project) => snapshots.save({ project, ...given }),
  }),
  load_snapshot: fromCommand({
    description: 'Replace all data with a snapshot.',
    command: 'snapshot:load',
    args: ['name'],
    ...{ effect: 'destroy', isUsual: false, takeBack: 'command' },
  }),
  clock: fromCommand({
    description: 'Show the clock of the emulator, or move it. Tokens, codes and rate limits follow it.',
    command: (given) =>
      isGiven(given, 'by')
        ? 'clock:advance'
        : isGiven(given, 'time')
          ? 'clock:set'
          : given.reset === true
            ? 'clock:reset'
            : 'clock:show',
    of: ['clock:advance', 'clock:set'],
    args: ['by', 'time'],
    more: { reset: { type: 'boolean', description: 'Back to the system time.' } },
    ...{ effect: 'write', isUsual: false, takeBack: 'Call clock with {"reset":true}.' },
  }),
  faults: fromOperation({
    description: 'Make requests fail or slow down. Without arguments, list the faults; "clear" removes all.',
    operation: ['faults', 'add'],
    fields: ['kind', 'method', 'path', 'rate', 'times', 'milliseconds', 'status', 'seconds'],
    more: { clear: { type: 'boolean' } },
    required: [],
    ...{ effect: 'write', isUsual: false, takeBack: 'Call faults with {"clear":true}.' },
    call({ faults }, { clear, ...fault }: Given, project) {
      if (clear === true) return faults.clear({ project })
      return fault.kind === undefined ? faults.list({ project }) : faults.add({ project, ...fault } as never)
    },
  }),
  provider_outcome: fromOperation({
    description: 'Make the next logins through the built-in identity provider fail; "clear" makes them work again.',
    operation: ['idp', 'faults', 'set'],
    fields: ['fault', 'times', 'client'],
    more: { clear: { type: 'boolean' } },
    required: [],
    ...{ effect: 'write', isUsual: false, takeBack: 'Call provider_outcome with {"clear":true}.' },
    call({ idp }, { clear, ...fault }: Given) {
      if (clear === true) return idp.faults.clear({})
      return fault.fault === undefined ? idp.faults.list() : idp.faults.set(fault as never)
    },
  }),
}

/** At most this many tools are offered without `--tools`. */
export const maxUsualTools = 12
