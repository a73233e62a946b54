/** Second factors: an authenticator app, and codes for the day it is lost. Contract 6.7. */
import { toDataURL } from 'qrcode'
import { SvcError } from '../../client/model/errors.js'
import { selectSecrets, writePendingTotp, writeTotp } from '../store/user-secrets.js'
import { getMe } from './accounts.js'
import { acceptCode, hashCode, newRecoveryCodes, newTotpSecret, otpauthUrl, stepOfCode } from './codes.js'
import { inTransaction, type UserContext } from './context.js'
import { countWrongGuess, forgetGuesses, requireMayGuess } from './guesses.js'

/** What an authenticator app needs, in three forms of the same. */
export interface Enrolment {
  readonly secret: string
  readonly otpauthUrl: string
  /** An image as a `data:` URL. */
  readonly qrCode: string
}

/** Makes a secret, which counts once a code of it has been verified. What was on before stays on until then. */
export async function enableTwoFactor(ctx: UserContext): Promise<Enrolment> {
  const user = await getMe(ctx)
  const secret = newTotpSecret()
  await writePendingTotp(ctx.db, user.id, secret)
  const url = otpauthUrl(secret, { issuer: ctx.project.name, label: user.email })
  return { secret, otpauthUrl: url, qrCode: await toDataURL(url) }
}

/** Turns two-factor login on, and answers the recovery codes this one time. @throws {SvcError} `INVALID_CREDENTIALS` */
export async function verifyTwoFactor(ctx: UserContext, code: string): Promise<readonly string[]> {
  const recoveryCodes = newRecoveryCodes()
  await guessed(ctx, () =>
    inTransaction(ctx, async (ctx) => {
      const { id } = ctx.caller.user
      const secret = (await selectSecrets(ctx.db, id, { lock: true }))?.pendingTotpSecret
      if (!secret || (await stepOfCode(secret, code.replaceAll(/\s/g, ''), ctx.backend.now())) === undefined)
        return false
      await writeTotp(ctx.db, id, { secret, recoveryHashes: recoveryCodes.map(hashCode) })
      return true
    }),
  )
  return recoveryCodes
}

/** Turns two-factor login off, with a code of the app or for recovery. @throws {SvcError} `INVALID_CREDENTIALS` */
export async function disableTwoFactor(ctx: UserContext, code: string): Promise<void> {
  await guessed(ctx, () =>
    inTransaction(ctx, async (ctx) => {
      const { id } = ctx.caller.user
      const secrets = await selectSecrets(ctx.db, id, { lock: true })
      const used = secrets && (await acceptCode(secrets, code, ctx.backend.now()))
      if (!used) return false
      await writeTotp(ctx.db, id, { secret: null, recoveryHashes: [] })
      return true
    }),
  )
}

async function guessed(ctx: UserContext, isRight: () => Promise<boolean>): Promise<void> {
  const { id } = ctx.caller.user
  const guesser = { emailKey: id, address: id }
  await requireMayGuess(ctx, guesser)
  if (await isRight()) return forgetGuesses(ctx, guesser)
  await countWrongGuess(ctx, guesser)
  throw new SvcError('INVALID_CREDENTIALS', 'The code is wrong.')
}
