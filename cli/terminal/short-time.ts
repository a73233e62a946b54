import type { Json } from '../../client/protocol/model/json.js'

/** Formats a time of the service for tables, in UTC and to the second. Returns other values unchanged. */
export function shortTime(time: Json | undefined): Json | undefined {
  return typeof time === 'string' ? time.replace(/^(\S+)T(\d\d:\d\d:\d\d)\S*Z$/, '$1 $2') : time
}
