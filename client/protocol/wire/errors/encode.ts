/** The `errors` axis: the envelope contains code and message, the detail form neither code nor status. Spec, "Errors". */
import type { Issue, SvcError } from '../../model/errors.js'
import type { Writable } from '../../model/json.js'
import type { JsonSchema } from '../codec.js'
import { arrayOf, object, text } from '../json-schema.js'

interface ErrorFormat {
  readonly schema: JsonSchema
  encode(error: SvcError): Writable
}

const issueSchema = object({ loc: { type: 'array' }, msg: text, type: text })

export const errorFormats = {
  envelope: {
    schema: object({
      success: { const: false },
      error: object({ code: text, message: text, issues: arrayOf(issueSchema) }, { optional: ['issues'] }),
    }),
    encode: ({ code, message, issues }) => ({
      success: false,
      error: { code, message, ...(issues.length > 0 ? { issues: issues.map(encodeIssue) } : {}) },
    }),
  },
  /** A list for `VALIDATION_ERROR`, text for all other codes. Contract 10.8. */
  detail: {
    schema: object({ detail: { oneOf: [text, arrayOf(issueSchema)] } }),
    encode: ({ code, message, issues }) => ({
      detail: code === 'VALIDATION_ERROR' ? (issues.length > 0 ? issues.map(encodeIssue) : [whole(message)]) : message,
    }),
  },
} as const satisfies { readonly [form: string]: ErrorFormat }

/** Returns the headers of an error in both formats. */
export function errorHeaders({ code, retryAfterSeconds, allow }: SvcError): Record<string, string> {
  return {
    'svc-error-code': code,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
    ...(allow === undefined ? {} : { allow: allow.join(', ') }),
    ...(code === 'UPGRADE_REQUIRED' ? { upgrade: 'websocket' } : {}),
  }
}

function encodeIssue({ in: start, path, message, type }: Issue): {
  loc: readonly (string | number)[]
  msg: string
  type: string
} {
  return { loc: [start ?? 'body', ...path], msg: message, type }
}

function whole(message: string) {
  return encodeIssue({ path: [], message, type: 'value' })
}
