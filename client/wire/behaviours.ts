/** Axes that choose what the service does, or with which status it answers, rather than how a value looks. */

/** The `put` axis: PUT replaces a document, or merges as PATCH does. */
export const putMeanings = {
  replace: { means: 'replaces all fields of the document' },
  merge: { means: 'changes the fields it names and keeps the others' },
} as const

/** The `two_factor` axis: a login that needs a code is an answer, or a refusal. */
export const twoFactorForms = {
  result: { status: 200, body: (message: string) => ({ requires_2fa: true, message }) },
  error: { status: 403, code: '2FA_REQUIRED' },
} as const
