/** Codes of authenticator apps and recovery codes. Contract 6.7: RFC 6238, SHA-1, 6 digits, 30 s, one step of drift. */
import { randomBytes } from 'node:crypto'
import { generate, generateSecret, generateURI, verify } from 'otplib'
import type { UserSecrets } from '../../store/accounts/user-secrets.js'
import { hashSecret } from '../hashes.js'

const stepSeconds = 30
const recoveryCodes = 10

/**
 * Longest distance by which a used code may lie in the future before it stops blocking new ones. Further ahead, it was
 * used before the clock was set back. Closer, it keeps blocking until the clock catches up, because hosts correct their
 * clocks by seconds.
 */
const maxStepsBack = 20

export function newTotpSecret(): string {
  return generateSecret()
}

/** The address that authenticator apps read from a QR code. */
export function otpauthUrl(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  return generateURI({ secret, issuer, label })
}

/** Generates the code for a moment. */
export function codeAt(secret: string, now: Date): Promise<string> {
  return generate({ secret, epoch: toSeconds(now) })
}

/** Finds the 30-second step of a code within one step of now and later than `after`. */
export async function findStep(
  secret: string,
  code: string,
  now: Date,
  after: number | null = null,
): Promise<number | undefined> {
  const token = withoutSpaces(code)
  if (!/^\d{6}$/.test(token)) return undefined
  const epoch = toSeconds(now)
  const result = await verify({ secret, token, epoch, epochTolerance: stepSeconds })
  if (!result.valid || !('timeStep' in result)) return undefined
  const isBinding = after !== null && after <= Math.floor(epoch / stepSeconds) + maxStepsBack
  return isBinding && result.timeStep <= after ? undefined : result.timeStep
}

type CodeState = Pick<UserSecrets, 'totpSecret' | 'totpLastStep' | 'recoveryHashes'>

/** Checks a code of the app or for recovery, and returns the state to save after its use. */
export async function acceptCode(
  secrets: CodeState,
  code: string,
  now: Date,
): Promise<Pick<CodeState, 'totpLastStep' | 'recoveryHashes'> | undefined> {
  const { totpSecret, totpLastStep, recoveryHashes } = secrets
  if (totpSecret === null) return undefined
  const step = await findStep(totpSecret, code, now, totpLastStep)
  if (step !== undefined) return { totpLastStep: step, recoveryHashes }
  const hash = hashCode(code)
  if (!recoveryHashes.includes(hash)) return undefined
  return { totpLastStep, recoveryHashes: recoveryHashes.filter((other) => other !== hash) }
}

/** Generates codes of 80 random bits in groups that people can copy by hand. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const text = randomBytes(10).toString('hex')
    return `${text.slice(0, 5)}-${text.slice(5, 10)}-${text.slice(10, 15)}-${text.slice(15)}`
  })
}

/** Ignores case and spaces, because people type codes differently. */
export function hashCode(code: string): string {
  return hashSecret(withoutSpaces(code).toLowerCase())
}

/** Authenticator apps show "123 456". */
function withoutSpaces(code: string): string {
  return code.replaceAll(/\s/g, '')
}

function toSeconds(now: Date): number {
  return Math.floor(now.getTime() / 1_000)
}
