/**
 * Defines which rooms may import which. Draws them into docs/architecture.md; `test/repository/floors.test.ts` checks
 * imports and drawing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {object} Floor
 * @property {readonly string[]} at folders and files; the longest matching path decides
 * @property {readonly string[]} imports other floors and packages by name; `node:` for Node's modules, `packages` for
 * all packages
 * @property {readonly string[]} [types] floors and packages from which it may import only types
 */

const ports = ['* port', 'ports']
const coreGround = [
  'core ground',
  'core concurrency',
  'store',
  'database port',
  'files port',
  'pages',
  'model',
  'node:',
]

/** @param {string} name @param {readonly string[]} rooms other rooms it imports @returns {Floor} */
function coreRoom(name, rooms) {
  return {
    at: [`emulator/core/${name}`],
    imports: [...coreGround, ...rooms.map((room) => `core ${room}`)],
    types: ports,
  }
}

/**
 * Ordered from bottom to top. Files of `core ground` inside a room's folder are rules that several rooms need.
 *
 * @type {Readonly<Record<string, Floor>>}
 */
export const floors = {
  model: { at: ['client/protocol/model'], imports: [] },
  wire: { at: ['client/protocol/wire'], imports: ['model'] },
  control: { at: ['client/protocol/control'], imports: ['wire', 'model', 'zod'] },
  client: { at: ['client'], imports: ['control', 'wire', 'model'] },
  'live store': { at: ['client/store'], imports: ['client', 'model'] },
  'server session': { at: ['client/server.ts'], imports: ['live store', 'client', 'model'] },
  offline: { at: ['client/offline'], imports: ['live store', 'client', 'model', 'wire'] },
  react: { at: ['client/react'], imports: ['live store', 'client', 'model', 'react'] },
  svelte: { at: ['client/svelte'], imports: ['live store', 'client', 'model', 'svelte', 'svelte/reactivity'] },
  vue: { at: ['client/vue'], imports: ['live store', 'client', 'model', 'vue'] },

  pages: { at: ['emulator/pages'], imports: ['service facts', 'node:'] },
  'database port': { at: ['emulator/database/port.ts', 'emulator/database/sql-states.ts'], imports: ['model'] },
  store: { at: ['emulator/store'], imports: ['database port', 'model', 'node:crypto'] },
  'files port': { at: ['emulator/ports/files/port.ts'], imports: ['node:'] },
  'idp port': { at: ['emulator/idp/provider.ts'], imports: ['model'] },
  ports: {
    at: ['bus', 'limits', 'mail', 'passwords'].map((name) => `emulator/ports/${name}/port.ts`),
    imports: ['database port'],
  },

  'core concurrency': { at: ['emulator/core/concurrency'], imports: ['model', 'node:'] },
  'core ground': {
    at: [
      'emulator/core',
      'emulator/core/concurrency/long-reads.ts',
      'emulator/core/documents/idempotency.ts',
      'emulator/core/events',
      'emulator/core/projects/require-project.ts',
      'emulator/core/snapshots/remove-all.ts',
    ],
    imports: coreGround,
    types: [...ports, 'core documents', 'core faults', 'core files', 'core realtime', 'core requests', 'core sql'],
  },
  'core audit': coreRoom('audit', []),
  'core collections': coreRoom('collections', ['audit']),
  'core files': coreRoom('files', ['collections']),
  'core documents': coreRoom('documents', ['audit', 'collections', 'files']),
  'core projects': coreRoom('projects', ['audit', 'files']),
  'core snapshots': coreRoom('snapshots', ['audit', 'projects']),
  'core accounts': {
    at: ['emulator/core/accounts', 'emulator/core/logins'],
    imports: [
      ...coreGround,
      ...['core audit', 'core collections', 'core documents', 'core files', 'core projects'],
      ...['jose', 'otplib', 'qr'],
    ],
    types: ports,
  },
  'core providers': {
    at: ['emulator/core/providers'],
    imports: [...coreGround, 'core accounts', 'core projects', 'idp port'],
  },
  'core realtime': coreRoom('realtime', ['accounts', 'collections', 'documents']),
  'core requests': coreRoom('requests', ['accounts', 'collections']),
  'core sql': coreRoom('sql', []),
  'core faults': { at: ['emulator/core/faults'], imports: coreGround, types: ['core realtime'] },
  'core seeds': coreRoom('seeds', ['accounts', 'collections', 'documents', 'files', 'providers']),

  'service facts': {
    at: ['emulator/facts', 'emulator/database/start-error.ts'],
    imports: ['node:'],
  },
  'postgres connections': {
    at: ['connect', 'server-address', 'session-settings', 'tls'].map((name) => `emulator/database/postgres/${name}.ts`),
    imports: ['service facts', 'model', 'node:', 'pg'],
  },
  database: {
    at: ['emulator/database'],
    imports: [
      ...['database port', 'postgres connections', 'service facts', 'model'],
      ...['node:', 'pg', 'pg-protocol', '@electric-sql/pglite', 'modern-tar'],
    ],
  },
  'bus adapters': {
    at: ['emulator/ports/bus'],
    imports: ['ports', 'postgres connections', 'database port', 'store', 'node:'],
  },
  'limits adapters': { at: ['emulator/ports/limits'], imports: ['ports', 'store', 'database port'] },
  'mail adapters': {
    at: ['emulator/ports/mail'],
    imports: ['ports', 'core concurrency', 'store', 'database port', 'model', 'node:', 'nodemailer'],
  },
  'password adapters': {
    at: ['emulator/ports/passwords'],
    imports: ['ports', 'core concurrency', 'service facts', 'model', 'node:', 'bcryptjs', '@node-rs/bcrypt'],
  },
  'files adapters': {
    at: ['emulator/ports/files'],
    imports: ['files port', 'core concurrency', 'service facts', 'model', 'node:', '@aws-sdk/client-s3'],
  },
  'idp adapters': {
    at: ['emulator/idp'],
    imports: ['idp port', 'pages', 'store', 'database port', 'model', 'node:', 'jose', 'openid-client'],
  },
  http: {
    at: ['emulator/http'],
    imports: [
      ...['core *', 'control', 'wire', 'model', 'pages', 'service facts'],
      ...['node:', 'express', 'find-my-way', 'multer', 'ws', 'zod', 'pino'],
    ],
  },

  types: { at: ['types'], imports: ['model', 'pluralize'], types: ['client'] },
  seeds: { at: ['seeds'], imports: ['types', 'client', 'control', 'wire', 'model', 'node:', 'packages'] },
  assembly: {
    at: ['emulator/assembly', 'emulator/background'],
    imports: [
      ...['http', 'core *', 'store', 'database', 'postgres connections', '* adapters', '* port', 'ports', 'pages'],
      ...['service facts', 'seeds', 'client', 'wire', 'model', 'node:'],
    ],
  },
  serving: {
    at: ['emulator/serving'],
    imports: [
      ...['assembly', 'http', 'core *', 'store', 'database', 'postgres connections', '* adapters', '* port', 'ports'],
      ...['service facts', 'model', 'node:', 'prom-client'],
    ],
  },
  testing: {
    at: ['emulator/testing'],
    imports: ['assembly', 'database', 'seeds', 'client', 'control', 'model', 'node:'],
  },

  cli: { at: ['cli'], imports: ['seeds', 'types', 'client', 'control', 'wire', 'model', 'node:', 'packages'] },

  'dashboard parts': { at: ['dashboard/parts'], imports: ['client', 'control', 'model', 'packages'] },
  'dashboard session': {
    at: ['dashboard/session'],
    imports: ['dashboard parts', 'client', 'control', 'model', 'packages'],
  },
  'dashboard live': {
    at: ['dashboard/live'],
    imports: ['dashboard session', 'dashboard parts', 'client', 'control', 'model', 'packages'],
  },
  'dashboard frame': {
    at: ['dashboard/frame'],
    imports: ['dashboard live', 'dashboard session', 'dashboard parts', 'client', 'control', 'model', 'packages'],
  },
  'dashboard pages': {
    at: ['dashboard/pages'],
    imports: [
      ...['dashboard frame', 'dashboard live', 'dashboard session', 'dashboard parts'],
      ...['types', 'client', 'control', 'wire', 'model', 'packages'],
    ],
  },
  dashboard: {
    at: ['dashboard'],
    imports: [
      ...['dashboard pages', 'dashboard frame', 'dashboard live', 'dashboard session', 'dashboard parts'],
      ...['dashboard style', 'client', 'model', 'packages'],
    ],
  },
}

/**
 * Returns the floor of a file by the longest matching path.
 *
 * @param {string} file
 */
export function findFloor(file) {
  const fits = Object.entries(floors).flatMap(([name, { at }]) =>
    at.filter((path) => file === path || file.startsWith(`${path}/`)).map((path) => ({ name, path })),
  )
  return fits.sort((one, other) => other.path.length - one.path.length)[0]?.name
}

/**
 * Returns whether a list of names includes this one. `core *` and `* adapters` match any name with that start or end.
 *
 * @param {readonly string[]} names @param {string} name
 */
export function isNamedIn(names, name) {
  return names.some((each) => {
    if (each.startsWith('*')) return name.endsWith(each.slice(1))
    return each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each
  })
}

/** Returns the floors that each floor imports, without type-only imports. @returns {Map<string, string[]>} */
export function arrows() {
  const names = Object.keys(floors)
  return new Map(
    Object.entries(floors).map(([name, { imports }]) => [
      name,
      names.filter((other) => other !== name && isNamedIn(imports, other)),
    ]),
  )
}

/**
 * Maps floors to the boxes of a picture. Floors with the same box name are merged.
 *
 * @typedef {(floor: string) => string | undefined} View
 */

/** @type {Readonly<Record<string, View>>} */
const views = {
  'The whole house:': (floor) => {
    if (floor === 'core concurrency') return 'concurrency'
    if (floor.startsWith('core ')) return 'core'
    if (floor.startsWith('dashboard')) return 'dashboard'
    if (floor === 'ports' || floor.endsWith(' port')) return 'ports'
    if (floor.endsWith(' adapters') || floor === 'database' || floor === 'postgres connections') return 'adapters'
    return floor === 'service facts' ? undefined : floor
  },
  'Inside `emulator/core`:': (floor) => (floor.startsWith('core ') ? floor.slice('core '.length) : undefined),
  'Inside `dashboard`:': (floor) => {
    if (floor === 'dashboard') return 'app'
    return floor.startsWith('dashboard ') ? floor.slice('dashboard '.length) : undefined
  },
}

/** @param {View} view @returns {Map<string, Set<string>>} */
function arrowsIn(view) {
  /** @type {Map<string, Set<string>>} */
  const shown = new Map()
  for (const [floor, targets] of arrows()) {
    const from = view(floor)
    if (from === undefined) continue
    const others = targets.flatMap((target) => view(target) ?? []).filter((to) => to !== from)
    shown.set(from, new Set([...(shown.get(from) ?? []), ...others]))
  }
  return shown
}

/**
 * Returns whether a path of several arrows exists. @param {Map<string, Set<string>>} shown @param {string} from @param
 * {string} to
 */
function hasLongerWay(shown, from, to) {
  const waiting = [...(shown.get(from) ?? [])].filter((next) => next !== to)
  const reached = new Set(waiting)
  // The loop also visits entries added while it runs.
  for (const next of reached) for (const further of shown.get(next) ?? []) reached.add(further)
  return reached.has(to)
}

/** @param {View} view */
function picture(view) {
  const shown = arrowsIn(view)
  const lines = [...shown].flatMap(([from, targets]) =>
    [...targets].filter((to) => !hasLongerWay(shown, from, to)).map((to) => `  ${from} --> ${to}`),
  )
  return ['```mermaid', 'flowchart TD', ...lines.sort(), '```'].join('\n')
}

const begin = '<!-- floors: drawn by `npm run docs` from scripts/floors.js -->'
const end = '<!-- end of floors -->'

/** @param {string} text of docs/architecture.md @returns {string} the text with current floors */
export function drawingIn(text) {
  const pictures = Object.entries(views).map(([title, view]) => `${title}\n\n${picture(view)}`)
  const [before, after] = [text.indexOf(begin), text.indexOf(end)]
  if (before === -1 || after === -1) throw new Error('docs/architecture.md lacks the markers for the floors.')
  return [text.slice(0, before) + begin, ...pictures, text.slice(after)].join('\n\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const place = fileURLToPath(new URL('../docs/architecture.md', import.meta.url))
  writeFileSync(place, drawingIn(readFileSync(place, 'utf8')))
}
