import type { Database, Sql } from '../database/port.js'

/** Returns the database's plan line by line, without running the statement. */
export async function selectPlan(db: Database, { text, values }: Pick<Sql, 'text' | 'values'>): Promise<string[]> {
  const rows = await db.query<{ 'QUERY PLAN': string }>({
    text: `explain ${text}`,
    values,
    planned: 'each time',
  })
  return rows.map((row) => row['QUERY PLAN'])
}
