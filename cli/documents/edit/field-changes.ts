import { equalJson, type Json, type JsonObject } from '../../../client/protocol/model/json.js'
import { ownValue } from '../../records/own-value.js'

/** Old and new value of a field. Undefined if the field was missing before or after. */
export interface FieldChange {
  readonly from: Json | undefined
  readonly to: Json | undefined
}

/** Lists the fields that differ. */
export function fieldChanges(before: JsonObject, after: JsonObject): (readonly [name: string, change: FieldChange])[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const [from, to] = [ownValue(before, name), ownValue(after, name)]
    return equalJson(from, to) ? [] : [[name, { from, to }] as const]
  })
}
