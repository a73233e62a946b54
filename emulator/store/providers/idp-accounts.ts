/** Stores the accounts of the built-in identity provider. They do not belong to a project. */
import type { JsonObject } from '../../../client/protocol/model/json.js'
import type { ProviderAccount } from '../../../client/protocol/model/provider-login.js'
import { type Database, sql, writing } from '../../database/port.js'

interface AccountRow {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly email_verified: boolean
  readonly claims: string
}

const columns = sql`id, name, email, email_verified, claims`

/** Returns all accounts, oldest first. */
export async function selectAccounts(db: Database): Promise<ProviderAccount[]> {
  const rows = await db.query<AccountRow>(sql`select ${columns} from idp_accounts order by made_at, id`)
  return rows.map(fromRow)
}

export async function selectAccount(db: Database, id: string): Promise<ProviderAccount | undefined> {
  const [row] = await db.query<AccountRow>(sql`select ${columns} from idp_accounts where id = ${id}`)
  return row && fromRow(row)
}

/** Inserts an account. Returns false if its id is taken. */
export async function insertAccount(db: Database, account: ProviderAccount): Promise<boolean> {
  const { id, name, email, emailVerified, claims } = account
  const rows = await db.query(
    writing(sql`
    insert into idp_accounts (id, name, email, email_verified, claims)
    values (${id}, ${name}, ${email}, ${emailVerified}, ${JSON.stringify(claims)}::jsonb)
    on conflict do nothing
    returning id`),
  )
  return rows.length > 0
}

/** Replaces the account with its id. Returns whether it existed. */
export async function updateAccount(db: Database, account: ProviderAccount): Promise<boolean> {
  const { id, name, email, emailVerified, claims } = account
  const rows = await db.query(
    writing(sql`
    update idp_accounts
    set name = ${name}, email = ${email}, email_verified = ${emailVerified}, claims = ${JSON.stringify(claims)}::jsonb
    where id = ${id}
    returning id`),
  )
  return rows.length > 0
}

export async function deleteAccount(db: Database, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from idp_accounts where id = ${id} returning id`)
  return rows.length > 0
}

function fromRow({ id, name, email, email_verified, claims }: AccountRow): ProviderAccount {
  return { id, name, email, emailVerified: email_verified, claims: JSON.parse(claims) as JsonObject }
}
