/** Codes of authenticator apps and recovery codes. Contract 6.7: RFC 6238, SHA-1, 6 digits, 30 s, one step of drift. */
import { randomBytes } from 'node:crypto'
import { generate, generateSecret, generateURI, verify } from 'otplib'
import type { UserSecrets } from '../../store/accounts/user-secrets.js'
import { hashOf } from '../hashes.js'

const stepSeconds = 30
const recoveryCodes = 10

/**
 * A code that was used later than this was used before the clock was set back, and holds nobody up. Where it is nearer, used codes
 * stay used until the clock has caught up: hosts are corrected by seconds.
 */
const mostStepsBack = 20

export function newTotpSecret(): string {
  return generateSecret()
}

/** The address that authenticator apps read from a QR code. */
export function otpauthUrl(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  return generateURI({ secret, issuer, label })
}

/** The code of that moment. */
export function codeAt(secret: string, now: Date): Promise<string> {
  return generate({ secret, epoch: secondsOf(now) })
}

/** The 30 seconds a code belongs to, if it is one of now or of the step beside it, and later than `after`. */
export async function stepOfCode(
  secret: string,
  code: string,
  now: Date,
  after: number | null = null,
): Promise<number | undefined> {
  const token = withoutSpaces(code)
  if (!/^\d{6}$/.test(token)) return undefined
  const epoch = secondsOf(now)
  const result = await verify({ secret, token, epoch, epochTolerance: stepSeconds })
  if (!result.valid || !('timeStep' in result)) return undefined
  const isBinding = after !== null && after <= Math.floor(epoch / stepSeconds) + mostStepsBack
  return isBinding && result.timeStep <= after ? undefined : result.timeStep
}

type CodeState = Pick<UserSecrets, 'totpSecret' | 'totpLastStep' | 'recoveryHashes'>

/** What is left to be used once a code has been, if it is a good one: of the app, or for recovery. */
export async function acceptCode(
  secrets: CodeState,
  code: string,
  now: Date,
): Promise<Pick<CodeState, 'totpLastStep' | 'recoveryHashes'> | undefined> {
  const { totpSecret, totpLastStep, recoveryHashes } = secrets
  if (totpSecret === null) return undefined
  const step = await stepOfCode(totpSecret, code, now, totpLastStep)
  if (step !== undefined) return { totpLastStep: step, recoveryHashes }
  const hash = hashCode(code)
  if (!recoveryHashes.includes(hash)) return undefined
  return { totpLastStep, recoveryHashes: recoveryHashes.filter((other) => other !== hash) }
}

/** 80 random bits each, in a form that is easily copied by hand. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const text = randomBytes(10).toString('hex')
    return `${text.slice(0, 5)}-${text.slice(5, 10)}-${text.slice(10, 15)}-${text.slice(15)}`
  })
}

/** Without regard to case and spaces, as people type them. */
export function hashCode(code: string): string {
  return hashOf(withoutSpaces(code).toLowerCase())
}

/** Authenticator apps show "123 456". */
function withoutSpaces(code: string): string {
  return code.replaceAll(/\s/g, '')
}

function secondsOf(now: Date): number {
  return Math.floor(now.getTime() / 1_000)
}
