/** Reduces a failure to what the log may hold: where and why, without user data or secrets. Contract 10.6. */

export interface FailureText {
  readonly name: string
  readonly message: string
  readonly code: string | undefined
  /** The stack frames, without the message. */
  readonly stack: readonly string[]
  readonly cause: FailureText | undefined
}

const maxFrames = 20
const maxCauses = 3
const maxCharacters = 2_000

export function failureText(error: unknown, depth = 0): FailureText {
  if (!(error instanceof Error)) {
    return { name: typeof error, message: masked(String(error)), code: undefined, stack: [], cause: undefined }
  }
  const { code, sqlState } = error as { code?: unknown; sqlState?: unknown }
  const said = [sqlState, code].find((one) => typeof one === 'string')
  return {
    name: error.name,
    message: safeMessage(error, typeof said === 'string' ? said : ''),
    code: typeof said === 'string' ? said : undefined,
    stack: readFrames(error),
    cause: error.cause === undefined || depth === maxCauses ? undefined : failureText(error.cause, depth + 1),
  }
}

/** Drops the messages of parsers, PostgreSQL's included, because they quote user data. */
function safeMessage({ name, message }: Error, code: string): string {
  const quotesData = name === 'SyntaxError' || /^22...$/.test(code)
  return masked(quotesData ? message.replace(/"(?:[^"\\]|\\.)*"?/gs, '"…"') : message)
}

function readFrames({ stack = '' }: Error): string[] {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return frames.slice(0, maxFrames).map((line) => line.trim())
}

const secrets: readonly [RegExp, string][] = [
  [/svc_(key|secret)_[\w-]+/g, 'svc_$1_…'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, 'eyJ…'],
  [/\$2[aby]\$\d\d\$[./\w]{20,}/g, '$2…'],
  [/:\/\/[^\s/@]+@/g, '://…@'],
  [/[\w.+-]+@[\w-]+\.[\w.-]+/g, '…@…'],
]

/** Masks keys, tokens, hashes, passwords in addresses, and emails. */
function masked(text: string): string {
  return secrets.reduce((said, [secret, mask]) => said.replace(secret, mask), text.slice(0, maxCharacters))
}
