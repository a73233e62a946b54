import { isObject, parseJson } from '../client/protocol/model/json.js'

/** What is wrong with an input, or with how it was named: for the command line, and for tests, which have no exit codes. */
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

/** What cannot be meant so. */
export function misused(message: string, hint?: string): InputFailure {
  return new InputFailure('misuse', 'MISUSE', message, hint)
}

export function noFile(name: string, cause?: unknown): InputFailure {
  return new InputFailure('missing', 'NO_FILE', `No file "${name}".`, hintOfFile(name), { cause })
}

/** Where content stands in the place of a file's name. */
export function hintOfFile(name: string): string | undefined {
  const content = parseJson(name)
  if (!isObject(content) && !Array.isArray(content)) return undefined
  return 'That is JSON, and not the name of a file. Save it to a file, and name that.'
}

/** What is wrong with a seed, and where: `seed.json:5`. */
export function badSeed(place: string, what: string, cause?: unknown, hint?: string): InputFailure {
  return new InputFailure('invalid', 'BAD_SEED', `${place}: ${what}.`, hint, { cause })
}
