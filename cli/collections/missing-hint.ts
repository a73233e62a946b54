import { isCollectionName } from '../../client/protocol/model/schema.js'
import { shellWord } from '../terminal/shell-word.js'

/** What to do about a collection that is not there, and whose name is like none that is. `target` are the flags that name the service. */
export function missingHint(name: string, { mayCreate = false, target = '' } = {}): string {
  if (!isCollectionName(name)) return `See which there are: svc collections list${target}`
  return `Create it: svc collections create ${shellWord(name)}${target}${mayCreate ? ', or pass --create' : ''}`
}
