import { bodyForms } from './bodies.js'
import { collectionShapes } from './collections.js'
import type { Dialect } from './dialect.js'
import { documentShapes } from './documents.js'
import { listEnvelopes, recordEnvelopes } from './envelopes.js'
import { errorFormats } from './errors.js'
import { eventNames, frameForms } from './events.js'
import { filterSuffixes } from './filters.js'
import { pagingRules } from './paging.js'

/** The forms that a dialect has chosen, one of each table. */
export function dialectRules(dialect: Dialect) {
  return {
    document: documentShapes[dialect.document],
    collection: collectionShapes[dialect.document],
    body: bodyForms[dialect.body],
    record: recordEnvelopes[dialect.record],
    list: listEnvelopes[dialect.list],
    paging: pagingRules[dialect.paging],
    filters: filterSuffixes[dialect.filters],
    events: eventNames[dialect.events],
    frames: frameForms[dialect.frames],
    errors: errorFormats[dialect.errors],
  }
}
