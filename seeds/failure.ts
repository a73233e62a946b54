import { isObject, parseJson } from '../client/protocol/model/json.js'

/** Error in an input or its name. Used by the command line, which adds exit codes, and by tests. */
export class InputFailure extends Error {
  override readonly name = 'InputFailure'
  constructor(
    readonly kind: 'invalid' | 'missing' | 'misuse' | 'untrusted',
    readonly code: string,
    message: string,
    readonly hint?: string,
    extras: { readonly cause?: unknown } = {},
  ) {
    super(message, extras)
  }
}

/** Creates an error for wrong usage. */
export function misused(message: string, hint?: string): InputFailure {
  return new InputFailure('misuse', 'MISUSE', message, hint)
}

export function noFile(name: string, cause?: unknown): InputFailure {
  return new InputFailure('missing', 'NO_FILE', `No file "${name}".`, hintOfFile(name), { cause })
}

/** Returns a hint if content was passed instead of a file name. */
export function hintOfFile(name: string): string | undefined {
  const content = parseJson(name)
  if (!isObject(content) && !Array.isArray(content)) return undefined
  return 'This is JSON, not a file name. Save it to a file and pass its name.'
}

/** Creates an error with its position in the seed, such as `seed.json:5`. */
export function badSeed(place: string, what: string, cause?: unknown, hint?: string): InputFailure {
  return new InputFailure('invalid', 'BAD_SEED', `${place}: ${what}.`, hint, { cause })
}
