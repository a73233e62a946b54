import { isCollectionName } from '../../client/protocol/model/schema.js'
import { shellWord } from '../terminal/shell-word.js'

/** What to do about a collection that is not there, and whose name is like none that is. */
export function missingHint(name: string, { mayCreate = false } = {}): string {
  if (!isCollectionName(name)) return 'See which there are: svc collections list'
  return `Create it: svc collections create ${shellWord(name)}${mayCreate ? ', or pass --create' : ''}`
}
