import { isCollectionName } from '../../client/protocol/model/schema.js'
import { shellWord } from '../terminal/shell-word.js'

/**
 * Suggests what to do about a missing collection that has no similar name.
 *
 * @param options `target` holds the flags that select the service
 */
export function missingHint(name: string, { mayCreate = false, target = '' } = {}): string {
  if (!isCollectionName(name)) return `List the collections: svc collections list${target}`
  return `Create it: svc collections create ${shellWord(name)}${target}${mayCreate ? ', or pass --create' : ''}`
}
