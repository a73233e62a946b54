import { SvcError } from '../../../client/protocol/model/errors.js'
import type { ProviderAccount } from '../../../client/protocol/model/provider-login.js'
import type { Database } from '../../database/port.js'
import {
  deleteAccount,
  insertAccount,
  selectAccount,
  selectAccounts,
  updateAccount,
} from '../../store/providers/idp-accounts.js'
import type { ProviderAccounts } from '../provider.js'

const firstAccounts: readonly ProviderAccount[] = [
  anAccount('ada', 'Ada Lovelace'),
  anAccount('grace', 'Grace Hopper'),
  anAccount('alan', 'Alan Turing'),
  anAccount('katherine', 'Katherine Johnson'),
]

/** Opens the accounts of the built-in provider. Adds the first ones if there are none. */
export function openAccounts(db: Database): ProviderAccounts {
  let made: Promise<unknown> | undefined

  /** Adds the first accounts on first use, so that no start waits for it. */
  function ready() {
    made ??= makeFirst(db).catch((error) => {
      made = undefined
      throw error
    })
    return made
  }

  return {
    async list() {
      await ready()
      return selectAccounts(db)
    },
    async get(id) {
      await ready()
      return selectAccount(db, id)
    },
    async add(account) {
      await ready()
      if (!(await insertAccount(db, account))) {
        throw new SvcError('VALIDATION_ERROR', `Account "${account.id}" already exists.`)
      }
      return account
    },
    async change(id, changes) {
      await ready()
      const before = await selectAccount(db, id)
      if (!before) throw noSuchAccount(id)
      const account = { ...before, ...changes, id }
      if (!(await updateAccount(db, account))) throw noSuchAccount(id)
      return account
    },
    async remove(id) {
      await ready()
      if (!(await deleteAccount(db, id))) throw noSuchAccount(id)
    },
  }
}

async function makeFirst(db: Database): Promise<void> {
  if ((await selectAccounts(db)).length > 0) return
  for (const account of firstAccounts) await insertAccount(db, account)
}

function anAccount(id: string, name: string): ProviderAccount {
  return { id, name, email: `${id}@example.com`, emailVerified: true, claims: {} }
}

function noSuchAccount(id: string): SvcError {
  return new SvcError('NOT_FOUND', `The built-in provider has no account "${id.slice(0, 80)}".`)
}
