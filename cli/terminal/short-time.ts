import type { Json } from '../../client/protocol/model/json.js'

/** A service's own time as tables show it: to the second, in UTC. What is no such time stays as it is. */
export function shortTime(time: Json | undefined): Json | undefined {
  return typeof time === 'string' ? time.replace(/^(\S+)T(\d\d:\d\d:\d\d)\S*Z$/, '$1 $2') : time
}
