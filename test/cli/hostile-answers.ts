/** Answers of a hostile service: control characters wherever a text is unrestricted. */

export const id = '01999999-9999-7999-8999-999999999999'
export const evil = 'evil\u001b[31mred\u001b]0;title\u0007\u0008\u009b2J\u202e\r\nnext\u2028line\u007f'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
export const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/** The fields of all replies in one object; every unrestricted text is the evil one. */
export const thing = {
  id,
  name: evil,
  email: evil,
  collection: evil,
  collectionId: id,
  data: { text: evil, [evil]: evil, list: [evil] },
  roles: [evil],
  schema: { [evil]: { type: evil } },
  permissions: { read: [evil], create: [], update: [], delete: [] },
  createdAt: evil,
  updatedAt: evil,
  path: '',
  url: `http://127.0.0.1:1/${evil}`,
  size: 1,
  mimeType: evil,
  to: evil,
  subject: evil,
  refused: null,
  text: evil,
  html: evil,
  raw: evil,
  links: [evil],
  codes: [evil],
  now: evil,
  offset: 0,
  token: evil,
  access_token: evil,
  user: { id, email: evil, roles: [], data: {} },
  message: evil,
  secret: evil,
  otpauth_url: evil,
  recovery_codes: [evil],
  code: evil,
  state: evil,
  key: evil,
  tier: evil,
  bytes: 1,
  files: 1,
  limitBytes: 1,
  settings: { [evil]: evil },
  document_count: 3,
  count: 1,
  version: 1,
}
const subscription = { collection: evil, filters: { [evil]: evil }, isLive: false, position: 1, lag: 1 }
const connections = [
  {
    ...thing,
    transport: evil,
    who: evil,
    openedAt: evil,
    subscriptions: [subscription],
    bytesSent: 1,
    waitingBytes: 1,
  },
]
const version = { version: 1, seq: 1, kind: evil, at: evil, data: { [evil]: evil }, changed: [evil] }
export const lists = {
  ...{ versions: [version], next: null, isWhole: false },
  ...{ documents: [thing], users: [thing], mails: [thing], accounts: [thing], projects: [thing], keys: [thing] },
  connections,
  // Documents that link to a deleted one.
  collections: [{ collection: evil, deleted: 1, changed: 1 }],
  ...{ faults: [], total: 1, limit: 20 },
}
