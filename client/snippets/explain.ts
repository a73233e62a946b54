/** Why a request was refused, for people: what exactly was missing, and which command mends it. */
import type { RequestRecord } from '../protocol/control/requests.js'
import { ownerWord } from '../protocol/model/collection.js'
import { formatCount } from '../protocol/model/figures.js'
import type { CredentialsProblem, Reason } from '../protocol/model/requests/reason.js'
import { figureOf, limitWords } from './limit-words.js'
import { shellWord } from './shell.js'

export interface Explanation {
  readonly missing: string
  /** The simplest first. */
  readonly mends: readonly Mend[]
}

export interface Mend {
  readonly words: string
  /** As typed at a shell, in the folder of the emulator. */
  readonly command: string
}

type Refused = Pick<RequestRecord, 'id' | 'caller' | 'error' | 'status' | 'reason'>

/** Undefined for a request that was not refused. */
export function explainRefusal(request: Refused): Explanation | undefined {
  const { reason, error, id } = request
  if (reason) return explainers[reason.kind](reason as never, request)
  if (!error) return undefined
  const fields = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return {
    missing: [error.message, ...fields].join('\n'),
    mends: [{ words: 'See the whole request', command: `svc requests show ${id}` }],
  }
}

type Explainers = {
  readonly [Kind in Reason['kind']]: (reason: Extract<Reason, { kind: Kind }>, request: Refused) => Explanation
}

const explainers: Explainers = {
  credentials: ({ problem }, { id }) => ({
    missing: problems[problem],
    mends: mendsOfCredentials(problem, id),
  }),
  permission({ collection, permission, wanted, roles }, request) {
    const [role] = wanted.filter((word) => word !== ownerWord)
    const isOfOwner = wanted.includes(ownerWord)
    return {
      missing: `To ${permission} in "${collection}" takes ${oneOf(wanted)}; the caller has ${rolesWords(roles)}${isOfOwner ? ', and did not create the document' : ''}.`,
      mends: [
        ...(isOfOwner && request.caller.user ? [giveTo(collection, request.caller.user.email)] : []),
        ...(role === undefined ? [] : mendsOfRole(role, request)),
        openTo(collection, permission),
      ],
    }
  },
  field({ collection, field, rule, wanted, roles }, request) {
    const open = wanted.length === 0 ? 'the secret key' : `the secret key or ${oneOf(wanted)}`
    const what = rule === 'hidden' ? 'To see' : 'To set'
    return {
      missing: `${what} "${field}" in "${collection}" takes ${open}; the caller has ${rolesWords(roles)}.`,
      mends: [
        ...wanted.slice(0, 1).flatMap((role) => mendsOfRole(role, request)),
        replay("Send it with the project's secret key", request.id, secretHeader),
        { words: 'See the rules for fields', command: `svc collections permissions ${shellWord(collection)}` },
      ],
    }
  },
  caller({ needs }, { id }) {
    const header = needs === 'user' ? userHeader : needs === 'key' ? keyHeader : secretHeader
    return {
      missing: `The route takes ${needs === 'user' ? 'the token of a user' : `a ${needs}`}.`,
      mends: [replay(`Send it with ${needs === 'user' ? 'one' : `the ${needs}`}`, id, header)],
    }
  },
  scope({ action, collection, scopes }, { id, caller }) {
    const secret = caller.kind === 'secret key' ? '--secret ' : ''
    const scope = collection === null ? action : `${action}:${collection}`
    return {
      missing: `The key's scopes are ${list(scopes)}; it takes ${collection === null ? scope : `${action} or ${scope}`}.`,
      mends: [
        {
          words: 'Send it with a key that has the scope',
          command: `svc requests replay ${id} --header "x-api-key: $(svc keys create ${secret}--scope ${shellWord(scope)} --quiet)"`,
        },
        { words: 'See the keys', command: 'svc keys list' },
      ],
    }
  },
  setting({ setting, value }, { caller }) {
    const off = { words: `Change the setting`, command: `svc project set ${setting}:=false` }
    const email = caller.user?.email
    const verify = { words: 'Verify the address', command: `svc users verify ${shellWord(email ?? 'USER')}` }
    return {
      missing: `The setting ${setting} of the project is ${value}.`,
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
    mends: [{ words: 'Add it', command: `svc dev --allowed-host ${shellWord(host)}` }],
  }),
  missing: ({ what, name, collection }) => ({
    missing: what === 'path' ? `Nothing is served at ${name}.` : `There is no ${what} "${name}"${inside(collection)}.`,
    mends: mendsOfMissing(what, name, collection),
  }),
  taken: ({ what, name }, { id }) => ({
    missing: `The ${what} "${name}" is taken.`,
    mends:
      what === 'collection'
        ? [
            { words: 'Take another name', command: `svc requests replay ${id} ${shellWord(`name=${name}2`)}` },
            { words: 'Delete the other', command: `svc collections delete ${shellWord(name)}` },
          ]
        : [
            { words: 'See who has it', command: `svc users get ${shellWord(name)}` },
            { words: 'Delete that user', command: `svc users delete ${shellWord(name)}` },
          ],
  }),
  'in use': ({ file }) => ({
    missing: `A document or a user owns the file ${file}; it goes with its owner, or when no field holds its URL.`,
    mends: [{ words: 'See the files', command: 'svc files list' }],
  }),
  version: ({ collection, document, expected, actual }, { id }) => ({
    missing: `The document is at version ${actual}; if-match takes ${list(expected.map(String))}. ${whyOther(expected, actual)}`,
    mends: [
      { words: 'See what it is now', command: `svc docs get ${shellWord(collection)} ${shellWord(document)}` },
      replay('Send it for that version', id, `'if-match: "${actual}"'`),
    ],
  }),
  limit: ({ limit, most, actual, setting }, { id }) => ({
    missing: `The limit is ${figureOf(limit, most)} ${limitWords[limit]}${actual === undefined ? '' : `; there are ${figureOf(limit, actual)}`}.`,
    mends:
      setting === undefined
        ? [{ words: 'Send less', command: `svc requests replay ${id} --body -` }]
        : [{ words: 'Take a larger plan, and send it again', command: `svc project set ${setting}=enterprise` }],
  }),
  schema({ collection, fields }, { id, error }) {
    const wrong = (error?.issues ?? []).map(({ message }) => message)
    const edits = fields.map((field) => shellWord(exampleOf(field, error)))
    return {
      missing: `The schema of "${collection}" refuses: ${list(wrong.length > 0 ? wrong : fields)}.`,
      mends: [
        { words: 'See the schema', command: `svc collections schema ${shellWord(collection)}` },
        { words: 'Send other values', command: `svc requests replay ${id} ${edits.join(' ')}` },
      ],
    }
  },
  'rate limit': ({ window, limit, endsAt, setting }) => ({
    missing: `${formatCount(limit)} requests in the window "${window}" are used up; it ends at ${endsAt}.`,
    mends: [{ words: 'Switch the limit off', command: `svc project set ${setting}=off` }],
  }),
  attempts: ({ retryAfterSeconds }) => ({
    missing: `There were too many failed attempts; the next is taken in ${formatCount(retryAfterSeconds)} seconds.`,
    mends: [{ words: 'Let the time pass', command: `svc clock advance ${retryAfterSeconds}s` }],
  }),
}

/** A version that is still to come is another document's, or made up; where none was readable, nothing is known of it. */
function whyOther(expected: readonly number[], actual: number): string {
  return expected.length > 0 && expected.every((version) => version > actual)
    ? 'It was never at that version.'
    : 'It has been written since.'
}

const keyHeader = '"x-api-key: $(svc project key --quiet)"'
const secretHeader = '"x-api-key: $(svc project key --secret --quiet)"'
const userHeader = '"authorization: Bearer $(svc users token USER --quiet)"'

function replay(words: string, id: string, header: string): Mend {
  return { words, command: `svc requests replay ${id} --header ${header}` }
}

const problems: { readonly [Problem in CredentialsProblem]: string } = {
  'none sent': 'Neither a key (x-api-key) nor a token (authorization) was sent.',
  'not a bearer': 'The header authorization is not "Bearer " and a token.',
  'unknown key': 'The key that was sent belongs to no project of this emulator.',
  'expired key': 'The key has expired.',
  'malformed token': 'What was sent as a token is none.',
  'ended session': 'The session of the token has ended: its user logged out, or was logged out.',
  'wrong signature or expired': 'The token has expired, or was not signed by this emulator.',
  'two projects': 'The key and the token belong to two projects.',
  'unknown ticket': 'The ticket of the realtime connection is unknown, or was used already.',
  'unknown email': 'No user has that email address.',
  'no password': 'The user has no password yet: a reset sets one.',
  'of a provider': 'The user logs in through an identity provider, and has no password.',
  'wrong password': 'The password is wrong.',
  'wrong code': 'The code of the second factor is wrong.',
  'unknown mail token': 'The token of a mail is unknown, expired, or was used already.',
}

function mendsOfCredentials(problem: CredentialsProblem, id: string): Mend[] {
  switch (problem) {
    case 'none sent':
    case 'unknown key':
    case 'expired key':
      return [replay("Send it with the project's key", id, keyHeader)]
    case 'two projects':
    case 'not a bearer':
    case 'malformed token':
    case 'ended session':
    case 'wrong signature or expired':
      return [
        replay('Send it with a new token of the user', id, userHeader),
        { words: 'See who there is', command: 'svc users list' },
      ]
    case 'unknown email':
      return [{ words: 'See who there is', command: 'svc users list' }]
    case 'no password':
      return [{ words: 'Ask for a mail to set one', command: 'svc users password request-reset USER' }]
    case 'of a provider':
      return [{ words: 'Log in through the provider', command: 'svc idp login' }]
    case 'wrong password':
      return [{ words: 'Ask for a mail to set another one', command: 'svc users password request-reset USER' }]
    case 'wrong code':
      return [{ words: 'See the right one', command: 'svc users 2fa code USER' }]
    case 'unknown ticket':
    case 'unknown mail token':
      return [{ words: 'See the newest mail', command: 'svc mail show' }]
  }
}

/** The user who asked gets the role, or another one asks. */
function mendsOfRole(role: string, { id, caller }: Refused): Mend[] {
  const email = caller.user?.email
  if (email)
    return [
      { words: 'Give the user the role', command: `svc users update ${shellWord(email)} --role ${shellWord(role)}` },
    ]
  return [replay('Send it as a user who has the role', id, userHeader)]
}

function giveTo(collection: string, email: string | null): Mend {
  return {
    words: 'Give the document to the user',
    command: `svc docs transfer ${shellWord(collection)} ID --to ${shellWord(email ?? 'USER')}`,
  }
}

function openTo(collection: string, permission: string): Mend {
  return {
    words: 'Open it to every key',
    command: `svc collections permissions ${shellWord(collection)} --open ${permission} --key "$(svc project key --secret --quiet)"`,
  }
}

function mendsOfMissing(what: string, name: string, collection: string | undefined): Mend[] {
  if (what === 'collection') return [{ words: 'Create it', command: `svc collections create ${shellWord(name)}` }]
  if (what === 'document' && collection !== undefined)
    return [{ words: 'See which there are', command: `svc docs list ${shellWord(collection)}` }]
  if (what === 'user') return [{ words: 'See which there are', command: 'svc users list' }]
  if (what === 'file') return [{ words: 'See which there are', command: 'svc files list' }]
  return [{ words: 'See what is served', command: 'svc api GET /openapi.json' }]
}

/** A field with a value that fits its type, to be written over. */
function exampleOf(field: string, error: Refused['error']): string {
  const issue = error?.issues.find(({ path }) => path.includes(field))
  const value = examples.get(issue?.type ?? '')
  return value === undefined ? `${field}=TEXT` : `${field}:=${value}`
}

const examples = new Map([
  ['number', '1.5'],
  ['integer', '1'],
  ['boolean', 'true'],
  ['array', '[]'],
  ['object', '{}'],
  ['datetime', '"2026-01-31T12:00:00Z"'],
])

function inside(collection: string | undefined): string {
  return collection === undefined ? '' : ` in "${collection}"`
}

function rolesWords(roles: readonly string[]): string {
  return roles.length === 0 ? 'a key alone, which has no role' : `the roles ${list(roles)}`
}

function oneOf(roles: readonly string[]): string {
  return roles.length === 1 ? `the role ${list(roles)}` : `one of the roles ${list(roles)}`
}

function list(words: readonly string[]): string {
  return words.length === 0 ? 'none' : words.join(', ')
}
