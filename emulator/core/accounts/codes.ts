/** Codes of authenticator apps and recovery codes. Contract 6.7: RFC 6238, SHA-1, 6 digits, 30 s, one step of drift. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { UserSecrets } from '../../store/accounts/user-secrets.js'
import { hashOf } from '../hashes.js'

const stepSeconds = 30
/** As many as SHA-1 makes, as RFC 4226 recommends. */
const secretBytes = 20
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const recoveryCodes = 10

/**
 * A code that was used later than this was used before the clock was set back, and holds nobody up. Where it is nearer, used codes
 * stay used until the clock has caught up: hosts are corrected by seconds.
 */
const mostStepsBack = 20

export function newTotpSecret(): string {
  return encodeBase32(randomBytes(secretBytes))
}

/** The address that authenticator apps read from a QR code. */
export function otpauthUrl(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  const account = [issuer, label].map(encodeURIComponent).join(':')
  return `otpauth://totp/${account}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

/** The code of that moment. */
export function codeAt(secret: string, now: Date): string {
  return codeOfStep(secret, stepAt(now))
}

/** The 30 seconds a code belongs to, if it is one of now or of the step beside it, and later than `after`. */
export function stepOfCode(secret: string, code: string, now: Date, after: number | null = null): number | undefined {
  const token = withoutSpaces(code)
  if (!/^\d{6}$/.test(token)) return undefined
  const current = stepAt(now)
  const step = [current, current - 1, current + 1].find((one) => one >= 0 && isCodeOfStep(secret, token, one))
  if (step === undefined) return undefined
  const isBinding = after !== null && after <= current + mostStepsBack
  return isBinding && step <= after ? undefined : step
}

function isCodeOfStep(secret: string, token: string, step: number): boolean {
  return timingSafeEqual(Buffer.from(token), Buffer.from(codeOfStep(secret, step)))
}

/** RFC 4226, with the step as its counter. */
function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0xf
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

function stepAt(now: Date): number {
  return Math.floor(now.getTime() / 1_000 / stepSeconds)
}

/** Without padding: the secrets are whole groups of five bytes. */
function encodeBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (group) => base32.charAt(Number.parseInt(group, 2)))
}

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

type CodeState = Pick<UserSecrets, 'totpSecret' | 'totpLastStep' | 'recoveryHashes'>

/** What is left to be used once a code has been, if it is a good one: of the app, or for recovery. */
export function acceptCode(
  secrets: CodeState,
  code: string,
  now: Date,
): Pick<CodeState, 'totpLastStep' | 'recoveryHashes'> | undefined {
  const { totpSecret, totpLastStep, recoveryHashes } = secrets
  if (totpSecret === null) return undefined
  const step = stepOfCode(totpSecret, code, now, totpLastStep)
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
