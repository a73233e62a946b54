import { equalJson, type Json, type JsonObject } from '../../../client/protocol/model/json.js'
import { ownValue } from '../../records/own-value.js'

/** What a field was and what it is; nothing where it was not, or is not any more. */
export interface FieldChange {
  readonly from: Json | undefined
  readonly to: Json | undefined
}

/** The fields that differ, by their names. */
export function fieldChanges(before: JsonObject, after: JsonObject): (readonly [name: string, change: FieldChange])[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const [from, to] = [ownValue(before, name), ownValue(after, name)]
    return equalJson(from, to) ? [] : [[name, { from, to }] as const]
  })
}
