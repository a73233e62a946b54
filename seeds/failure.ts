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
  return new InputFailure('missing', 'NO_FILE', `No file "${name}".`, undefined, { cause })
}

/** What is wrong with a seed, and where: `seed.json:5`. */
export function badSeed(place: string, what: string, cause?: unknown, hint?: string): InputFailure {
  return new InputFailure('invalid', 'BAD_SEED', `${place}: ${what}.`, hint, { cause })
}
