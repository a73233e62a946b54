/**
 * Methods and paths below `/_svc/api` of all operations of the control API. Imports nothing, so that the command line loads
 * fast; the schemas are in `contract.ts` under the same names.
 */
export const operations = {
  health: {
    get: 'GET /health',
  },
  info: {
    get: 'GET /info',
    missingFiles: 'GET /info/missing-files',
  },
  process: {
    get: 'GET /process',
  },
  projects: {
    create: 'POST /projects',
    list: 'GET /projects',
    get: 'GET /projects/:project',
    update: 'PATCH /projects/:project',
    reset: 'POST /projects/:project/reset',
    remove: 'DELETE /projects/:project',
  },
  keys: {
    list: 'GET /projects/:project/keys',
    create: 'POST /projects/:project/keys',
    revoke: 'DELETE /projects/:project/keys/:key',
  },
  audit: {
    list: 'GET /projects/:project/audit',
  },
  rights: {
    ask: 'POST /projects/:project/collections/:collection/rights',
  },
  coverage: {
    permissions: 'GET /coverage/permissions',
  },
  schemas: {
    plan: 'POST /projects/:project/collections/:collection/schema/plan',
  },
  dependants: {
    preview: 'POST /projects/:project/dependants',
  },
  creators: {
    get: 'GET /projects/:project/collections/:collection/documents/:document/creator',
    set: 'PUT /projects/:project/collections/:collection/documents/:document/creator',
  },
  snapshots: {
    save: 'POST /projects/:project/snapshots',
    list: 'GET /projects/:project/snapshots',
    get: 'GET /projects/:project/snapshots/:snapshot',
    diff: 'GET /projects/:project/snapshots/:snapshot/diff',
    load: 'POST /projects/:project/snapshots/:snapshot/load',
    remove: 'DELETE /projects/:project/snapshots/:snapshot',
    finish: 'POST /projects/:project/snapshots/:snapshot/finish',
    undo: 'POST /projects/:project/undo',
  },
  indexes: {
    list: 'GET /projects/:project/indexes',
  },
  history: {
    get: 'GET /projects/:project/collections/:collection/documents/:document/history',
    compare: 'GET /projects/:project/collections/:collection/documents/:document/history/compare',
  },
  sql: {
    run: 'POST /projects/:project/sql',
    view: 'GET /projects/:project/sql/view',
  },
  users: {
    create: 'POST /projects/:project/users',
    list: 'GET /projects/:project/users',
    update: 'PATCH /users/:user',
    remove: 'DELETE /users/:user',
    token: 'POST /users/:user/token',
    logOut: 'DELETE /users/:user/sessions',
    sessions: {
      list: 'GET /users/:user/sessions',
      end: 'DELETE /users/:user/sessions/:session',
    },
    code: 'GET /users/:user/code',
  },
  seeds: {
    apply: 'POST /projects/:project/seeds',
    get: 'GET /projects/:project/seeds',
  },
  mail: {
    list: 'GET /mail',
    wait: 'GET /mail/wait',
    get: 'GET /mail/:id',
    remove: 'DELETE /mail/:id',
    clear: 'DELETE /mail',
  },
  requests: {
    list: 'GET /requests',
    get: 'GET /requests/:id',
    plan: 'GET /requests/:id/plan',
    replay: 'POST /requests/:id/replay',
    clear: 'DELETE /requests',
  },
  connections: {
    list: 'GET /connections',
    close: 'DELETE /connections/:connection',
  },
  parity: {
    list: 'GET /parity',
    get: 'GET /parity/:run',
    accept: 'POST /parity/accepted',
  },
  events: {
    stream: 'GET /events',
  },
  faults: {
    list: 'GET /faults',
    add: 'POST /faults',
    addPreset: 'POST /faults/presets',
    remove: 'DELETE /faults/:fault',
    clear: 'DELETE /faults',
  },
  clock: {
    get: 'GET /clock',
    change: 'PATCH /clock',
    reset: 'DELETE /clock',
    ofProject: {
      get: 'GET /projects/:project/clock',
      change: 'PATCH /projects/:project/clock',
      reset: 'DELETE /projects/:project/clock',
    },
  },
  idp: {
    accounts: {
      list: 'GET /idp/accounts',
      add: 'POST /idp/accounts',
      change: 'PATCH /idp/accounts/:account',
      remove: 'DELETE /idp/accounts/:account',
    },
    faults: {
      list: 'GET /idp/faults',
      set: 'PUT /idp/faults',
      clear: 'DELETE /idp/faults',
    },
    logins: {
      start: 'POST /idp/logins',
    },
    flows: {
      list: 'GET /idp/flows',
    },
  },
} as const

/** Operations that stream. */
const streamPlaces = [operations.events.stream] as const
export type StreamPlace = (typeof streamPlaces)[number]
export const streams: ReadonlySet<string> = new Set(streamPlaces)

/** Path of the control API. */
export const controlPath = '/_svc/api'
