import { type Database, nothing, sql, writing } from '../../database/port.js'

/** A mail in the mailbox. */
export interface StoredMail {
  readonly id: string
  readonly project: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly createdAt: string
  /** The reason why it was not sent; `null` if it was. */
  readonly refused: string | null
}

interface MailRow {
  id: string
  project_id: string
  recipient: string
  subject: string
  text_body: string
  html_body: string
  created_at: string
  refused: string | null
}

const columns = sql`id, project_id, recipient, subject, text_body, html_body, created_at, refused`

/** @param raw the complete message, as sent */
export async function insertMail(db: Database, mail: StoredMail, raw: string): Promise<void> {
  const { id, project, to, subject, text, html, createdAt, refused } = mail
  await db.query(
    writing(sql`
    insert into mails (id, project_id, recipient, subject, text_body, html_body, raw, created_at, refused)
    values (${id}, ${project}, ${to}, ${subject}, ${text}, ${html}, ${raw}, ${createdAt}, ${refused})`),
  )
}

export interface MailQuery {
  /** Default: all projects. */
  readonly project?: string | undefined
  /** The address of the recipient, case-insensitive. */
  readonly to?: string | undefined
  /** Only mails that came after this one. */
  readonly after?: string | undefined
  /** Only mails that were sent. */
  readonly isSent?: boolean
  readonly limit: number
}

/** Returns the newest first, in order of arrival. Ids follow the clocks of projects, which can be moved. */
export async function selectMails(
  db: Database,
  { project, to, after, isSent, limit }: MailQuery,
): Promise<StoredMail[]> {
  const rows = await db.query<MailRow>(sql`
    select ${columns}
    from mails
    where ${project === undefined ? sql`true` : sql`project_id = ${project}`}
      ${to === undefined ? nothing : sql`and lower(recipient) = ${to.toLowerCase()}`}
      ${after === undefined ? nothing : sql`and position > ${mailPosition(after)}`}
      ${isSent === true ? sql`and refused is null` : nothing}
    order by position desc
    limit ${limit}::int`)
  return rows.map(fromRow)
}

/** Finds the position of a mail. If it was deleted, its id tells what came after it. */
function mailPosition(id: string) {
  return sql`coalesce(
    (select position from mails where id = ${id}::uuid), (select max(position) from mails where id < ${id}::uuid), 0)`
}

export async function selectMail(db: Database, id: string): Promise<(StoredMail & { raw: string }) | undefined> {
  const [row] = await db.query<MailRow & { raw: string }>(sql`select ${columns}, raw from mails where id = ${id}`)
  return row && { ...fromRow(row), raw: row.raw }
}

/** Deletes the mails of a project, or those to one address, and returns how many. */
export async function deleteMails(db: Database, { project, to }: Pick<MailQuery, 'project' | 'to'>): Promise<number> {
  const rows = await db.query(sql`
    delete from mails
    where ${project === undefined ? sql`true` : sql`project_id = ${project}`}
      ${to === undefined ? nothing : sql`and lower(recipient) = ${to.toLowerCase()}`}
    returning id`)
  return rows.length
}

export async function deleteMail(db: Database, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from mails where id = ${id} returning id`)
  return rows.length > 0
}

/** Deletes at most `most` of the oldest mails beyond `kept`, and returns how many. */
export async function deleteOldMails(db: Database, { kept, most }: { kept: number; most: number }): Promise<number> {
  const rows = await db.query(sql`
    delete from mails
    where id = any (array(select id from mails order by position desc offset ${kept}::int limit ${most}::int))
    returning id`)
  return rows.length
}

function fromRow(row: MailRow): StoredMail {
  return {
    id: row.id,
    project: row.project_id,
    to: row.recipient,
    subject: row.subject,
    text: row.text_body,
    html: row.html_body,
    createdAt: row.created_at,
    refused: row.refused,
  }
}
