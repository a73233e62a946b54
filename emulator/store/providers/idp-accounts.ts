/** People whom the built-in identity provider knows. They belong to no project. */
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

/** All of them, in the order they were made. */
export async function selectAccounts(db: Database): Promise<ProviderAccount[]> {
  const rows = await db.query<AccountRow>(sql`select ${columns} from idp_accounts order by made_at, id`)
  return rows.map(fromRow)
}

export async function selectAccount(db: Database, id: string): Promise<ProviderAccount | undefined> {
  const [row] = await db.query<AccountRow>(sql`select ${columns} from idp_accounts where id = ${id}`)
  return row && fromRow(row)
}

/** Inserts an account; whether its id was free. */
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

/** Puts an account in the place of the one with its id; whether there was one. */
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
