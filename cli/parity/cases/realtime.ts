/** Realtime: events of a subscribed collection. */
import type { Look, ParityCase, Step } from '../case.js'

const documents = '/collections/{fresh}/documents'
const creating = '/collections/documents?collection={fresh}'
const setUp: Step = { method: 'POST', path: '/collections', body: { name: '{fresh}' } }
const create: Step = { method: 'POST', path: creating, body: { n: 1 }, bind: 'id' }
const update: Step = { method: 'PATCH', path: `${documents}/{id}`, body: { n: 2 } }
const remove: Step = { method: 'DELETE', path: `${documents}/{id}` }
const batch: Step = {
  method: 'POST',
  path: '/collections/{fresh}/batch/documents/create',
  body: { documents: [{ n: 1 }, { n: 2 }] },
}

const cases: readonly (readonly [id: string, steps: readonly Step[], compare: readonly Look[]])[] = [
  ['events.created', [create], ['event']],
  ['events.updated', [create, update], ['event']],
  ['events.deleted', [create, remove], ['event']],
  ['frames.created', [create], ['frame']],
  ['frames.updated', [create, update], ['frame']],
  ['realtime.created', [create], ['changes']],
  ['realtime.deleted', [create, remove], ['changes']],
  ['realtime.once-and-in-order', [create, update, update], ['changes']],
  ['realtime.batch', [batch], ['changes']],
  ['realtime.filtered', [create], ['changes']],
]

/** The names of events and the form of frames are axes of the shared socket only. */
const isShared = (id: string) => !id.startsWith('realtime.')

export const realtimeCases: readonly ParityCase[] = cases.map(([id, steps, compare]) => ({
  ...{ id, compare },
  axis: id.slice(0, id.indexOf('.')),
  needs: [
    'collections',
    ...(steps.includes(batch) ? (['batch'] as const) : []),
    ...(isShared(id) ? (['shared socket'] as const) : []),
  ],
  steps: [setUp, ...steps],
  listen: '{fresh}',
  socket: isShared(id) ? 'shared' : 'collection',
  ...(id === 'realtime.filtered' ? { watched: { n: '1' } } : {}),
  change: 'Read the list again from time to time, in addition to the events.',
}))
