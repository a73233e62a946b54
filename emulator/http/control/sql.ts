import { getView, runQuery } from '../../core/sql/run-query.js'
import type { ControlHandlers } from './control-routes.js'

export const sql: ControlHandlers['sql'] = {
  async run(backend, { params, request: { query, limit } }) {
    const { columns, rows, ...rest } = await runQuery(backend, params.project, { query, rowLimit: limit })
    return { columns, rows: rows.map((row) => JSON.parse(row)), ...rest }
  },
  async view(backend, { params, request }) {
    const { name, columns } = await getView(backend, params.project, request.name)
    return { name, columns }
  },
}
