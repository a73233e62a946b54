import { bodyForms } from './body/decode.js'
import type { Dialect } from './dialects.js'
import { documentShapes } from './document/encode.js'
import { errorFormats } from './errors/encode.js'
import { filterSuffixes } from './filters/encode.js'
import { eventNames, frameForms } from './frames/encode.js'
import { listEnvelopes, recordEnvelopes } from './list/encode.js'
import { pagingRules } from './paging/decode.js'
import { collectionShapes } from './records/collections.js'

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
