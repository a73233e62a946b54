/** What makes the published client small, beside minifying. */
import { join } from 'node:path'

/**
 * Properties that only modules of the client hand to each other. In the published file each has a short name, so none of them may
 * be a name of the API, of the wire or of a platform: every property of that name is renamed. In sources and in the toolkit's own
 * `dist/client` they keep their names.
 */
const internalProperties = [
  'amend',
  'ask',
  'beat',
  'become',
  'begin',
  'connect',
  'current',
  'ended',
  'header',
  'isClosed',
  'listen',
  'lost',
  'misread',
  'openStream',
  'options',
  'passed',
  'put',
  'query',
  'reader',
  'receive',
  'received',
  'signIn',
  'works',
  'wrappers',
]

/**
 * The modules of the client, as close to those they resemble as imports allow: equal pieces near each other take fewer bits. One
 * that is missing here stands where it is imported first, which costs some bytes and nothing else.
 */
const order = [
  'protocol/model/json',
  'protocol/wire/filters/suffixes',
  'protocol/model/errors',
  'protocol/model/path',
  'keys',
  'protocol/wire/query/names',
  'protocol/wire/filters/encode',
  'protocol/wire/sendable',
  'protocol/wire/query/format',
  'protocol/wire/query/encode',
  'collections/where',
  'protocol/wire/expected',
  'files/forms',
  'protocol/wire/list/decode',
  'protocol/wire/document/decode',
  'protocol/wire/records/decode',
  'collections/links',
  'collections/list-pages',
  'protocol/wire/body/encode',
  'protocol/wire/errors/decode',
  'protocol/wire/paths/encode',
  'protocol/wire/record/decode',
  'protocol/wire/spoken',
  'detect',
  'collections/collections',
  'collections/collection-writes',
  'files/send-counted',
  'send',
  'files/files',
  'realtime/connection',
  'protocol/wire/errors/message',
  'auth/auth-state',
  'realtime/sockets',
  'realtime/feed',
  'protocol/wire/frames/decode',
  'realtime/subscription',
  'realtime/live',
  'collections/collection',
  'realtime/streams',
  'auth/session',
  'auth/auth-calls',
  'auth/users',
  'auth/recovery',
  'auth/provider-login',
  'auth/two-factor',
  'auth/logins',
  'auth/account',
  'auth/auth',
]

/** @type {import('rolldown').OutputOptions} */
export const publishedOutput = {
  comments: false,
  minify: { mangleProps: { include: new RegExp(`^(${internalProperties.join('|')})$`) } },
}

/** @param {string} root @returns {import('rolldown').Plugin} */
export function inOrder(root) {
  const entry = join(root, 'client', 'index.ts')
  return {
    name: 'in-order',
    transform(code, id) {
      if (id !== entry) return null
      const imports = order.map((name) => `import './${name}.js'\n`)
      return { code: imports.join('') + code, moduleType: 'ts', map: null }
    },
  }
}
