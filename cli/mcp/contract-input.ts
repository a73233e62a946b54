/** Describes requests of the control API by JSON Schema. Apart, because it loads the whole contract. */
import { z } from 'zod'
import { contract } from '../../client/protocol/control/contract.js'
import { isObject } from '../../client/protocol/model/json.js'
import type { Property } from './tool.js'

interface DescribedRequest {
  readonly properties: { readonly [name: string]: Property }
  readonly required: readonly string[]
}

/** Returns the arguments of an operation. For a choice of requests, those of the first. */
export function describeRequest(operation: readonly string[]): DescribedRequest {
  let found: unknown = contract
  for (const name of operation) found = isObject(found) ? found[name] : undefined
  const request = isObject(found) ? found.request : undefined
  if (!(request instanceof z.ZodType)) return { properties: {}, required: [] }
  const schema = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' })
  const shape = schema.anyOf?.[0] ?? schema
  const properties = isObject(shape) && isObject(shape.properties) ? shape.properties : {}
  const required = isObject(shape) && Array.isArray(shape.required) ? shape.required : []
  return {
    properties: Object.fromEntries(
      Object.entries(properties).flatMap(([name, one]) => (isObject(one) ? [[name, trim(one)]] : [])),
    ),
    required: required.map(String),
  }
}

/** Leaves out what the emulator checks anyway, because descriptions cost the reader. */
function trim({ pattern, minimum, maximum, minLength, maxLength, exclusiveMinimum, ...kept }: Property): Property {
  return kept
}
