/** Handles the forms of the page other than the login. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { isObject, type JsonObject } from '../../../client/protocol/model/json.js'
import type { ProviderAccounts } from '../provider.js'

/** Adds, changes or removes an account. Returns an error message for the page if that fails. */
export async function saveAccount(accounts: ProviderAccounts, form: URLSearchParams): Promise<string | undefined> {
  const id = form.get('id') ?? ''
  const changes: { readonly [change: string]: () => Promise<unknown> } = {
    add: () => accounts.add({ id: newId(form), ...readFields(form) }),
    save: () => accounts.change(id, readFields(form)),
    remove: () => accounts.remove(id),
  }
  const change = changes[form.get('change') ?? '']
  if (!change) return 'Unknown action. Use add, save or remove.'
  try {
    await change()
    return undefined
  } catch (error) {
    if (error instanceof SvcError) return error.message
    throw error
  }
}

/** Derives the id from the email or the name, so that adding an account again gives the same person. */
function accountId({ name, email }: { name: string; email: string | null }): string {
  const [local = ''] = (email ?? name).split('@', 1)
  return local
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
}

function newId(form: URLSearchParams): string {
  const id = accountId(readFields(form))
  if (id === '') throw new SvcError('VALIDATION_ERROR', 'Enter a name or an email that contains letters or digits.')
  return id
}

function readFields(form: URLSearchParams) {
  const text = (name: string) => (form.get(name) ?? '').trim().slice(0, 255)
  const email = text('email')
  return {
    name: text('name'),
    email: email === '' ? null : email,
    emailVerified: form.has('verified'),
    claims: readClaims(form.get('claims') ?? ''),
  }
}

/** Short enough that the claims cannot be nested too deeply for the database. */
const maxClaimsCharacters = 2_000

function readClaims(text: string): JsonObject {
  if (text.trim() === '') return {}
  if (text.length > maxClaimsCharacters)
    throw new SvcError('PAYLOAD_TOO_LARGE', 'The claims are too long (max 2,000 characters).')
  try {
    const claims: unknown = JSON.parse(text)
    if (isObject(claims)) return claims
  } catch {
    // Invalid JSON gets the same error as a value that is not an object.
  }
  throw new SvcError('VALIDATION_ERROR', 'Enter the claims as a JSON object, for example {"locale": "en"}.')
}
