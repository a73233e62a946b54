import { type Fields, parseFields, type StoredUser } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { SeedIdentity, SeedMode, SeedStep, SeedUser } from '../../../client/protocol/model/seed/steps.js'
import { DatabaseError } from '../../database/port.js'
import { selectSecrets, updatePasswordHash, updateTotp } from '../../store/accounts/user-secrets.js'
import { deleteUsers, insertUser, selectUserByEmail, type UserChanges, updateUser } from '../../store/accounts/users.js'
import { insertAccount } from '../../store/providers/idp-accounts.js'
import { newTotpSecret } from '../accounts/codes.js'
import { requireEmail } from '../accounts/emails.js'
import { setPassword } from '../accounts/password-change.js'
import { hashPassword, isPassword, requireStrong } from '../accounts/passwords.js'
import type { Context } from '../context.js'
import { requireLight } from '../documents/weight.js'
import { orphanForgotten } from '../files/owned-files.js'
import { builtInAuthority, findProviderAuthority } from '../providers/provider-settings.js'
import { atStep } from './at-step.js'
import { adopt, findOwned } from './seed-files.js'
import { remember, resolve, type Seeding } from './seeding.js'

/** Hashes the passwords to write, by step number. */
export async function hashPasswords(
  ctx: Context,
  mode: SeedMode,
  steps: AsyncIterable<readonly [number, SeedStep]>,
): Promise<Map<number, string>> {
  const hashes = new Map<number, string>()
  for await (const [number, step] of steps) {
    if (step.step === 'documents' || step.step === 'collection') break
    if (step.step !== 'user') continue
    const hash = await atStep(number, () => hashFor(ctx, mode, step))
    if (hash !== undefined) hashes.set(number, hash)
  }
  return hashes
}

/** Returns undefined if the user already has that password or stays unchanged. */
async function hashFor(
  ctx: Context,
  mode: SeedMode,
  { email, password, passwordHash }: SeedUser,
): Promise<string | undefined> {
  const { key } = requireEmail(email)
  if (passwordHash !== undefined) return requireHash(passwordHash)
  if (password === undefined) return undefined
  requireStrong(password, 'password')
  const before = mode === 'replace' ? undefined : await selectUserByEmail(ctx.db, ctx.project.id, key)
  if (before && mode === 'fill') return undefined
  const hash = before ? ((await selectSecrets(ctx.db, before.id))?.passwordHash ?? null) : null
  if (hash !== null && (await isPassword(ctx, password, { hash, account: key }))) return undefined
  return hashPassword(ctx, password, { account: key })
}

/** Creates a user, or updates the one with that address. */
export async function applyUser(seeding: Seeding, number: number, step: SeedUser): Promise<void> {
  const { ctx, mode, users } = seeding
  const isFirst = !seeding.known.has('users')
  if (isFirst && mode === 'replace') await deleteUsers(ctx.db, ctx.project.id)
  // From here on, `users` in references means these users, even in the data of the first one.
  if (isFirst) seeding.known.set('users', new Map())
  const email = requireEmail(step.email)
  const before = await selectUserByEmail(ctx.db, ctx.project.id, email.key)
  if (before && (mode === 'fill' || step.isSame)) {
    users.kept++
    return rememberUser(seeding, step.name, before)
  }
  const { referable, fresh } = await findOwned(seeding, step.files, before?.id)
  const sent = resolve(seeding, step.name, step.data ?? {}, referable)
  requireLight(sent)
  const hash = seeding.hashes.get(number)
  const written = before
    ? await updated(seeding, before, { step, sent, hash })
    : await inserted(seeding, { step, sent, hash, email })
  users[before ? 'updated' : 'created']++
  await adopt(seeding, fresh, { user: written.id })
  await setTwoFactor(ctx, written.id, step.twoFactor)
  rememberUser(seeding, step.name, written)
}

interface Writing {
  readonly step: SeedUser
  readonly sent: Fields
  readonly hash: string | undefined
}

async function inserted(
  { ctx }: Seeding,
  { step, sent, hash, email }: Writing & { email: ReturnType<typeof requireEmail> },
): Promise<StoredUser> {
  const { backend, db, project } = ctx
  const now = backend.now(project.id)
  const user = await insertUser(db, project.id, {
    id: backend.newId(now),
    email: email.shown,
    emailKey: email.key,
    json: JSON.stringify(sent),
    roles: [...new Set(step.roles ?? [])],
    oauth: await createIdentity(ctx, step),
    emailVerified: step.verified ?? step.identity !== undefined,
    passwordHash: hash ?? null,
    at: now.toISOString(),
  })
  if (!user) throw identityTaken(step)
  const role = trustedRole(sent)
  return (role && (await updateUser(db, user.id, role, now.toISOString()))) || user
}

async function updated({ ctx }: Seeding, before: StoredUser, { step, sent, hash }: Writing): Promise<StoredUser> {
  const oauth = await createIdentity(ctx, step)
  const json = JSON.stringify({ ...parseFields(before), ...sent })
  const write: UserChanges = {
    json,
    ...trustedRole(sent),
    ...(step.roles === undefined ? {} : { roles: [...new Set(step.roles)] }),
    ...(step.verified === undefined ? {} : { emailVerified: step.verified }),
    ...(oauth === null ? {} : { oauth }),
  }
  const at = ctx.backend.now(ctx.project.id).toISOString()
  const user = await updateUser(ctx.db, before.id, write, at).catch((error) => {
    throw isIdentityTaken(error) ? identityTaken(step) : error
  })
  if (!user) throw identityTaken(step)
  if (step.passwordHash !== undefined) await updatePasswordHash(ctx.db, before.id, step.passwordHash)
  else if (hash !== undefined) await setPassword(ctx, before.id, hash, null)
  await orphanForgotten(ctx, [{ id: before.id, before: before.data.text, after: json }])
  return user
}

/** Trusts `data.role`, because seeds are written by the owner. Contract 6.2. */
function trustedRole({ role }: Fields): Pick<UserChanges, 'trustedRole'> | undefined {
  return typeof role === 'string' ? { trustedRole: role } : undefined
}

/** Returns the user's identity at a provider. Creates an account to log in with at the built-in provider. */
async function createIdentity(ctx: Context, { identity, email, verified = true, data }: SeedUser) {
  if (!identity) return null
  const provider = findAuthority(ctx, identity)
  const { subject } = identity
  if (provider === builtInAuthority) {
    const name = typeof data?.name === 'string' ? data.name : subject
    await insertAccount(ctx.db, { id: subject, name, email, emailVerified: verified, claims: {} })
  }
  return { provider, subject }
}

function findAuthority(ctx: Context, { provider }: SeedIdentity): string {
  return provider.includes('://') || provider === builtInAuthority ? provider : findProviderAuthority(ctx, provider)
}

async function setTwoFactor({ db }: Context, user: string, twoFactor: SeedUser['twoFactor']): Promise<void> {
  if (twoFactor === undefined) return
  const before = (await selectSecrets(db, user))?.totpSecret ?? null
  const secret =
    twoFactor === true ? (before ?? newTotpSecret()) : twoFactor === false ? null : requireSecret(twoFactor)
  if (secret !== before) await updateTotp(db, user, { secret, recoveryHashes: [] })
}

function requireSecret(text: string): string {
  if (/^[A-Z2-7]{26,102}$/.test(text)) return text
  throw invalid('twoFactor', 'must be a base32 secret of 16 to 64 bytes')
}

function requireHash(text: string): string {
  if (/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(text)) return text
  throw invalid('passwordHash', 'is not a bcrypt hash')
}

function invalid(field: string, message: string): SvcError {
  return new SvcError('VALIDATION_ERROR', `"${field}" ${message}.`, [{ path: [field], message, type: 'invalid' }])
}

function isIdentityTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'users_subject'
}

function identityTaken({ identity }: SeedUser): SvcError {
  return new SvcError('EMAIL_ALREADY_EXISTS', `Another user already has the identity "${identity?.subject}".`)
}

function rememberUser(seeding: Seeding, name: string, user: StoredUser): void {
  const { id, email, roles, createdAt, updatedAt } = user
  const data = parseFields(user)
  remember(seeding, 'users', name, { ...data, id, email, roles: [...roles], createdAt, updatedAt, data })
}
