/** The `two_factor` axis: a login that needs a code is an answer, or a refusal. */
export const twoFactorForms = {
  result: { status: 200 },
  error: { status: 403, code: '2FA_REQUIRED' },
} as const
