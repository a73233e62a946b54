/** Explains to developers why a request was refused, and which commands fix it. */
import type { RequestRecord } from '../protocol/control/requests.js'
import { type Membership, parseMemberWord } from '../protocol/model/access/member-word.js'
import { classifyWord, type WordKind } from '../protocol/model/access/permission-words.js'
import { type FieldType, ownerWord } from '../protocol/model/collection.js'
import { formatCount } from '../protocol/model/figures.js'
import type { CredentialsProblem, Reason } from '../protocol/model/requests/reason.js'
import { formatLimit, limitWords } from './limit-words.js'
import { shellWord } from './shell.js'

export interface Explanation {
  readonly missing: string
  /** Simplest first. */
  readonly mends: readonly Fix[]
}

export interface Fix {
  readonly words: string
  /** A shell command to run in the folder of the emulator. */
  readonly command: string
}

type Refused = Pick<RequestRecord, 'id' | 'caller' | 'error' | 'status' | 'reason'>

/** Returns undefined if the request was not refused. */
export function explainRefusal(request: Refused): Explanation | undefined {
  const { reason, error, id } = request
  if (reason) return explainers[reason.kind](reason as never, request)
  if (!error) return undefined
  const fields = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return {
    missing: [error.message, ...fields].join('\n'),
    mends: [{ words: 'Show the whole request', command: `svc requests show ${id}` }],
  }
}

type Explainers = {
  readonly [Kind in Reason['kind']]: (reason: Extract<Reason, { kind: Kind }>, request: Refused) => Explanation
}

const explainers: Explainers = {
  credentials: ({ problem }, { id }) => ({
    missing: problems[problem],
    mends: suggestCredentials(problem, id),
  }),
  permission({ collection, permission, wanted, roles }, request) {
    const isOfOwner = wanted.includes(ownerWord)
    const members = wanted.flatMap((word) => parseMemberWord(word) ?? [])
    return {
      missing: `To ${permission} documents in "${collection}", you need ${formatChoice(wanted)}. The caller has ${describeRoles(roles)}${isOfOwner ? ', and did not create the document' : ''}${describeMembers(members)}.`,
      mends: [...suggestAccess(wanted, collection, request), openTo(collection, permission)],
    }
  },
  field({ collection, field, rule, wanted, roles }, request) {
    const open = wanted.length === 0 ? 'the secret key' : `the secret key or ${formatChoice(wanted)}`
    const what = rule === 'hidden' ? 'To see' : 'To set'
    return {
      missing: `${what} "${field}" in "${collection}", you need ${open}. The caller has ${describeRoles(roles)}.`,
      mends: [
        ...suggestAccess(wanted, collection, request),
        replay("Send it with the project's secret key", request.id, secretHeader),
        { words: 'Show the permissions on fields', command: `svc collections permissions ${shellWord(collection)}` },
      ],
    }
  },
  caller({ needs }, { id }) {
    const header = needs === 'user' ? userHeader : needs === 'key' ? keyHeader : secretHeader
    return {
      missing: `This route needs ${needs === 'user' ? 'a user token' : `a ${needs}`}.`,
      mends: [replay(`Send it with ${needs === 'user' ? 'a user token' : `the ${needs}`}`, id, header)],
    }
  },
  scope({ action, collection, scopes }, { id, caller }) {
    const secret = caller.kind === 'secret key' ? '--secret ' : ''
    const scope = collection === null ? action : `${action}:${collection}`
    return {
      missing: `The key has the scopes ${list(scopes)}. It needs ${collection === null ? scope : `${action} or ${scope}`}.`,
      mends: [
        {
          words: 'Send it with a key that has the scope',
          command: `svc requests replay ${id} --header "x-api-key: $(svc keys create ${secret}--scope ${shellWord(scope)} --quiet)"`,
        },
        { words: 'List the keys', command: 'svc keys list' },
      ],
    }
  },
  setting({ setting, value }, { caller }) {
    const off = { words: `Change the setting`, command: `svc project set ${setting}:=false` }
    const email = caller.user?.email
    const verify = { words: 'Verify the email address', command: `svc users verify ${shellWord(email ?? 'USER')}` }
    return {
      missing: `The project setting ${setting} is ${value}.`,
      mends: setting === 'requireVerifiedEmail' ? [verify, off] : [off],
    }
  },
  origin: ({ origin, allowed, ownName }) => ({
    missing: `The page's origin ${origin} is not among those that the project allows: ${list(allowed)}.`,
    mends: [
      ...(ownName === undefined
        ? []
        : [{ words: 'Allow pages of this machine', command: `svc dev --allowed-host ${shellWord(ownName)}` }]),
      {
        words: 'Allow it',
        command: `svc project set ${shellWord(`allowedOrigins:=${JSON.stringify([...allowed, origin])}`)}`,
      },
    ],
  }),
  host: ({ host }) => ({
    missing: `Host "${host}" is not allowed.`,
    mends: [{ words: 'Allow it', command: `svc dev --allowed-host ${shellWord(host)}` }],
  }),
  missing: ({ what, name, collection }) => ({
    missing: what === 'path' ? `Nothing is served at ${name}.` : `No ${what} "${name}"${inside(collection)}.`,
    mends: suggestExisting(what, name, collection),
  }),
  taken: ({ what, name }, { id }) => ({
    missing: `The ${what} "${name}" is already taken.`,
    mends:
      what === 'collection'
        ? [
            { words: 'Use another name', command: `svc requests replay ${id} ${shellWord(`name=${name}2`)}` },
            { words: 'Delete the existing collection', command: `svc collections delete ${shellWord(name)}` },
          ]
        : [
            { words: 'Show the user who has it', command: `svc users get ${shellWord(name)}` },
            { words: 'Delete this user', command: `svc users delete ${shellWord(name)}` },
          ],
  }),
  duplicate: ({ collection, fields, documents = [] }) => ({
    missing: `Two documents in "${collection}" cannot have the same ${list(fields)}.`,
    mends: documents.slice(0, 1).map((document) => ({
      words: 'Show a document that has the value of another',
      command: `svc docs get ${shellWord(collection)} ${shellWord(document)}`,
    })),
  }),
  'in use': ({ file }) => ({
    missing: `The file ${file} belongs to a document or a user. It is deleted with its owner, or when no field holds its URL.`,
    mends: [{ words: 'List the files', command: 'svc files list' }],
  }),
  version: ({ collection, document, expected, actual }, { id }) => ({
    missing: `The document is at version ${actual}, but if-match requires ${list(expected.map(String))}. ${explainVersion(expected, actual)}`,
    mends: [
      { words: 'Show the current document', command: `svc docs get ${shellWord(collection)} ${shellWord(document)}` },
      replay('Send it for the current version', id, `'if-match: "${actual}"'`),
    ],
  }),
  limit: ({ limit, most, actual, setting }, { id }) => ({
    missing: `The limit is ${formatLimit(limit, most)} ${limitWords[limit]}${actual === undefined ? '' : `; the request has ${formatLimit(limit, actual)}`}.`,
    mends:
      setting === undefined
        ? [{ words: 'Send less', command: `svc requests replay ${id} --body -` }]
        : [{ words: 'Switch to a larger plan, then send it again', command: `svc project set ${setting}=enterprise` }],
  }),
  schema({ collection, fields }, { id, error }) {
    const wrong = (error?.issues ?? []).map(({ message }) => message)
    const edits = fields.map((field) => shellWord(suggestValue(field, error)))
    return {
      missing: `The schema of "${collection}" refuses: ${list(wrong.length > 0 ? wrong : fields)}.`,
      mends: [
        { words: 'Show the schema', command: `svc collections schema ${shellWord(collection)}` },
        { words: 'Send other values', command: `svc requests replay ${id} ${edits.join(' ')}` },
      ],
    }
  },
  'rate limit': ({ window, limit, endsAt, setting }) => ({
    missing: `The limit of ${formatCount(limit)} requests per ${window} is reached. It resets at ${endsAt}.`,
    mends: [{ words: 'Turn the rate limit off', command: `svc project set ${setting}=off` }],
  }),
  attempts: ({ retryAfterSeconds }) => ({
    missing: `Too many failed attempts. The next one is allowed in ${formatCount(retryAfterSeconds)} seconds.`,
    mends: [{ words: 'Advance the clock', command: `svc clock advance ${retryAfterSeconds}s` }],
  }),
}

/** Distinguishes outdated versions from those that the document never had. */
function explainVersion(expected: readonly number[], actual: number): string {
  return expected.length > 0 && expected.every((version) => version > actual)
    ? 'It was never at that version.'
    : 'It has changed since.'
}

const keyHeader = '"x-api-key: $(svc project key --quiet)"'
const secretHeader = '"x-api-key: $(svc project key --secret --quiet)"'
const userHeader = '"authorization: Bearer $(svc users token USER --quiet)"'

function replay(words: string, id: string, header: string): Fix {
  return { words, command: `svc requests replay ${id} --header ${header}` }
}

const problems: { readonly [Problem in CredentialsProblem]: string } = {
  'none sent': 'The request has neither a key (x-api-key) nor a token (authorization).',
  'not a bearer': 'The authorization header is not "Bearer " followed by a token.',
  'unknown key': 'The key does not belong to any project of this emulator.',
  'unknown bearer': 'The text after "Bearer" is neither a user token nor a key of this emulator.',
  'expired key': 'The key has expired.',
  'malformed token': 'The token is malformed.',
  'ended session': 'The session of this token has ended: the user logged out, or was logged out.',
  'wrong signature or expired': 'The token has expired, or was not signed by this emulator.',
  'two projects': 'The key and the token belong to different projects.',
  'unknown ticket': 'The realtime ticket is unknown or already used.',
  'unknown email': 'No user has this email address.',
  'no password': 'The user has no password yet. A password reset sets one.',
  'of a provider': 'The user logs in through an identity provider and has no password.',
  'wrong password': 'Wrong password.',
  'wrong code': 'Wrong two-factor code.',
  'unknown mail token': 'The token from the email is unknown, expired or already used.',
}

function suggestCredentials(problem: CredentialsProblem, id: string): Fix[] {
  switch (problem) {
    case 'none sent':
    case 'unknown key':
    case 'expired key':
      return [replay("Send it with the project's key", id, keyHeader)]
    case 'two projects':
    case 'not a bearer':
    case 'unknown bearer':
    case 'malformed token':
    case 'ended session':
    case 'wrong signature or expired':
      return [
        replay('Send it with a new user token', id, userHeader),
        { words: 'List the users', command: 'svc users list' },
      ]
    case 'unknown email':
      return [{ words: 'List the users', command: 'svc users list' }]
    case 'no password':
      return [{ words: 'Request an email to set one', command: 'svc users password request-reset USER' }]
    case 'of a provider':
      return [{ words: 'Log in through the provider', command: 'svc idp login' }]
    case 'wrong password':
      return [{ words: 'Request an email to reset it', command: 'svc users password request-reset USER' }]
    case 'wrong code':
      return [{ words: 'Show the correct code', command: 'svc users 2fa code USER' }]
    case 'unknown ticket':
    case 'unknown mail token':
      return [{ words: 'Show the latest email', command: 'svc mail show' }]
  }
}

type Suggest = (word: string, collection: string, request: Refused) => readonly Fix[]

/** By kind of word, simplest first: what lets the caller in, or shows who is. */
const suggestions: { readonly [Kind in WordKind]: Suggest } = {
  owner: (_, collection, { caller: { user } }) => (user ? [giveTo(collection, user.email)] : []),
  authenticated: (_, __, { id }) => [replay('Send it as a user', id, userHeader)],
  role: (word, _, request) => suggestRole(word, request),
  member: (_, collection) => [askRights(collection)],
}

/** Suggests once for each kind of word. */
function suggestAccess(wanted: readonly string[], collection: string, request: Refused): readonly Fix[] {
  const fixes = Object.entries(suggestions).flatMap(([kind, suggest]) =>
    wanted
      .filter((word) => classifyWord(word) === kind)
      .slice(0, 1)
      .flatMap((word) => suggest(word, collection, request)),
  )
  // A user with a role is signed in, so both kinds may lead to the same command.
  return fixes.filter(({ command }, at) => fixes.findIndex((fix) => fix.command === command) === at)
}

/** Suggests to give the user the role, or to send the request as another user. */
function suggestRole(role: string, { id, caller }: Refused): Fix[] {
  const email = caller.user?.email
  if (email)
    return [
      { words: 'Give the user the role', command: `svc users update ${shellWord(email)} --role ${shellWord(role)}` },
    ]
  return [replay('Send it as a user who has the role', id, userHeader)]
}

function giveTo(collection: string, email: string | null): Fix {
  return {
    words: 'Transfer the document to the user',
    command: `svc docs transfer ${shellWord(collection)} ID --to ${shellWord(email ?? 'USER')}`,
  }
}

function describeMembers(members: readonly Membership[]): string {
  return members.length === 0 ? '' : `, and is not in ${list(members.map(({ path }) => `"${path}"`))}`
}

function askRights(collection: string): Fix {
  return {
    words: 'Show who may do what, and why',
    command: `svc collections permissions ${shellWord(collection)} --matrix`,
  }
}

function openTo(collection: string, permission: string): Fix {
  return {
    words: 'Open it to every key',
    command: `svc collections permissions ${shellWord(collection)} --open ${permission} --key "$(svc project key --secret --quiet)"`,
  }
}

function suggestExisting(what: string, name: string, collection: string | undefined): Fix[] {
  if (what === 'collection') return [{ words: 'Create it', command: `svc collections create ${shellWord(name)}` }]
  if (what === 'document' && collection !== undefined)
    return [{ words: 'List the documents', command: `svc docs list ${shellWord(collection)}` }]
  if (what === 'user') return [{ words: 'List the users', command: 'svc users list' }]
  if (what === 'file') return [{ words: 'List the files', command: 'svc files list' }]
  return [{ words: 'List the routes', command: 'svc api GET /openapi.json' }]
}

/** Returns the field with a sample value of its type, for the developer to replace. */
function suggestValue(field: string, error: Refused['error']): string {
  const issue = error?.issues.find(({ path }) => path.includes(field))
  const value = issue && Object.hasOwn(examples, issue.type) ? examples[issue.type as FieldType] : undefined
  return value === undefined ? `${field}=TEXT` : `${field}:=${value}`
}

/** JSON for values that are not any text. */
const examples: { readonly [Type in FieldType]: string | undefined } = {
  string: undefined,
  number: '1.5',
  integer: '1',
  boolean: 'true',
  array: '[]',
  object: '{}',
  datetime: '"2026-01-31T12:00:00Z"',
  file: undefined,
  link: undefined,
  any: undefined,
}

function inside(collection: string | undefined): string {
  return collection === undefined ? '' : ` in "${collection}"`
}

function describeRoles(roles: readonly string[]): string {
  return roles.length === 0 ? 'a key but no user, so no role' : `the roles ${list(roles)}`
}

function formatChoice(roles: readonly string[]): string {
  return roles.length === 1 ? `the role ${list(roles)}` : `one of the roles ${list(roles)}`
}

function list(words: readonly string[]): string {
  return words.length === 0 ? 'none' : words.join(', ')
}
